// The icons of the product, 24 by 24 and drawn with one pen: a few of its own load sooner than a library of them.

/** An icon in the colour of the text around; `lines` is the path of an SVG. */
const icon = (lines: string) => () => (
  <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
    <path
      d={lines}
      fill="none"
      stroke="currentColor"
      strokeWidth="1.9"
      strokeLinecap="round"
      strokeLinejoin="round"
    />
  </svg>
);

export const ChevronIcon = icon('M6.5 9.5l5.5 5.5 5.5-5.5');
export const SearchIcon = icon('M11 18a7 7 0 1 0 0-14 7 7 0 0 0 0 14M16.2 16.2L20.5 20.5');
export const SignOutIcon = icon('M14 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h8M10 12h11M17 7.5l4.5 4.5-4.5 4.5');
export const MenuIcon = icon('M4 6.5h16M4 12h16M4 17.5h16');
export const EditIcon = icon('M4 20l1-4.2L16.3 4.5a2.1 2.1 0 0 1 3.2 3.2L8.2 19zM14 6.8l3.2 3.2');
export const DeleteIcon = icon(
  'M4 6.5h16M9 6.5V4h6v2.5M6.3 6.5l1 13.5h9.4l1-13.5M10.2 10.5v5.5M13.8 10.5v5.5',
);
export const ViewIcon = icon(
  'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6',
);
export const DownloadIcon = icon('M12 4v11.5M7 11l5 5 5-5M4.5 20h15');
export const HistoryIcon = icon('M12 7.5V12l3 2M4.2 10.5A8 8 0 1 1 4 13M4 6v4.5h4.5');
export const PlusIcon = icon('M12 5v14M5 12h14');
export const MinusIcon = icon('M5 12h14');
export const CheckIcon = icon('M4.5 12.5l5 5L19.5 7');
export const CrossIcon = icon('M6 6l12 12M18 6L6 18');
export const MoreIcon = icon(
  'M5.5 12a.6.6 0 1 1-1.2 0 .6.6 0 0 1 1.2 0M12.6 12a.6.6 0 1 1-1.2 0 .6.6 0 0 1 1.2 0M19.7 12a.6.6 0 1 1-1.2 0 .6.6 0 0 1 1.2 0',
);
/** Brought to a figure, up or down. */
export const SetIcon = icon('M4 8.5h15M15 4.5l4 4-4 4M20 15.5H5M9 11.5l-4 4 4 4');
export const DuplicateIcon = icon('M9 9h10.5v10.5H9zM5.5 15H4.5V4.5H15v1');
export const UndoIcon = icon('M8.5 5L4 9.5 8.5 14M4.5 9.5H14a5.5 5.5 0 0 1 0 11h-4');
export const RedoIcon = icon('M15.5 5L20 9.5 15.5 14M19.5 9.5H10a5.5 5.5 0 0 0 0 11h4');
export const SingleChoiceIcon = icon(
  'M12 20a8 8 0 1 0 0-16 8 8 0 0 0 0 16M12 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4',
);
export const MultipleChoiceIcon = icon('M4.5 4.5h15v15h-15zM8 12.2l3 3 5.2-6.2');
export const MatrixIcon = icon('M4 5h16v14H4zM4 9.7h16M4 14.3h16M9.3 5v14M14.7 5v14');
export const SliderIcon = icon('M3 12h5.5M13.5 12H21M11 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5');
export const TextEntryIcon = icon('M4 6.5h16M4 12h16M4 17.5h9');
export const InfoIcon = icon('M12 21a9 9 0 1 0 0-18 9 9 0 0 0 0 18M12 11v5.5M12 7.3v.4');
export const SumIcon = icon('M17.5 5H6.5l6 7-6 7h11');
export const RankIcon = icon('M4 6h4M4 12h4M4 18h4M11.5 6H20M11.5 12h6M11.5 18H15');
export const BestWorstIcon = icon('M7.5 19V5M4 8.5L7.5 5 11 8.5M16.5 5v14M13 15.5l3.5 3.5 3.5-3.5');
export const PauseIcon = icon('M8.5 5.5v13M15.5 5.5v13');
export const ResumeIcon = icon('M7.5 5l11 7-11 7z');
export const StopIcon = icon('M6.5 6.5h11v11h-11z');
export const RetryIcon = icon('M19.8 10.5A8 8 0 1 0 20 13M20 6v4.5h-4.5');
