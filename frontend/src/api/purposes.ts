/** The purposes of an access request: values as the server keeps them. */
export const purposes = [
  { value: 'teaching', label: 'Teaching/Education' },
  { value: 'research', label: 'Research' },
  { value: 'student_projects', label: 'Student Projects' },
  { value: 'academic_study', label: 'Academic Study' },
  { value: 'other', label: 'Other' },
];

/** The label of a purpose; one that is no longer offered stays readable. */
export const purposeName = (purpose: string) =>
  purposes.find(({ value }) => value === purpose)?.label ?? purpose.replaceAll('_', ' ');
