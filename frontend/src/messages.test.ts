import { expect, it } from 'vitest';

// The product's messages, word for word; braces stand for what is filled in. A test beside the page provokes each: this one finds the message that
// no test asserts.
const messages = [
  // Signing in
  'Verification code sent successfully! Check your email.',
  'Failed to send verification code. Please try again.',
  'Invalid or expired verification code. Please try again.',
  'Please enter a valid email address',
  'Please enter the 6-digit verification code',
  'Login successful! Redirecting...',
  // Groups
  'Failed to create group',
  'Failed to update group',
  'Failed to load group information',
  'Failed to load members',
  'Internal server error',
  'Failed to remove user',
  'Failed to update budget',
  'Failed to update budgets',
  'Please select at least one member',
  'User added successfully!',
  'Member removed successfully!',
  'Budget updated successfully!',
  '{n} member(s) budget increased by {amount} successfully!',
  // The profile
  'Failed to load profile.',
  'Failed to update profile.',
  'Profile updated successfully!',
  'Name cannot be empty.',
  // Asking for access
  'Something went wrong. Please try again.',
  'Network error. Please check your connection and try again.',
  'Request Submitted Successfully!',
  // Simulation history and downloads
  'Failed to load simulations',
  'No simulations found for your surveys. You may need to create surveys first.',
  'Loaded {n} simulations for your surveys.',
  'Authentication failed. Please log in again.',
  'Access denied. You may not have permission to download this data.',
  'Simulation or survey not found.',
  'Failed to download simulation responses',
  'No responses found for this simulation',
  'Downloaded {n} response records',
  'Failed to download file. Check console for details.',
  'No data to export',
  'Data structure is invalid - no headers found',
  'Invalid filename provided',
  'No sheets to export',
  // Responses
  'Failed to load simulation responses',
  'Failed to download Excel file',
  'Complete Excel file downloaded successfully!',
  // Starting
  'No digital twins are available. Please contact the administrator.',
  'Survey cannot be simulated',
  'Failed to load simulation data',
  'Failed to start simulation',
  'Cannot start simulation',
  'Invalid authentication token',
  // The runs of a survey
  'Failed to load simulation history',
  'You are not logged in. Please log in again.',
  'Failed to refresh simulation status',
  'Simulation status refreshed',
  'Failed requests retried successfully',
  'Failed to retry failed requests: {message}',
  'Unknown error occurred',
  'Simulation counters reset successfully',
  'Failed to reset simulation counters',
  // Surveys and questions
  'Survey Created!',
  'Failed to create survey',
  'Title and group are required',
  'New survey: "{title}"',
  'Failed to duplicate survey. Please try again.',
  'Failed to load survey data',
  'Failed to add question',
  'Question added successfully!',
  'Failed to update question',
  'Question updated successfully!',
  'Are you sure you want to delete this question?',
  'Failed to delete question',
  'Question deleted successfully!',
  'Failed to update question order',
  'Question order updated successfully!',
  'Question text is required',
  '{Choice} questions must have at least 2 non-empty options',
  'Range questions must have both minimum and maximum values',
  'Minimum value must be less than maximum value',
  'Range questions must have descriptions for both minimum and maximum values',
  // The ledger
  'Loaded {n} transactions',
  'Failed to load transactions',
  // Addresses
  'Unexpected Application Error!',
  'Page Not Found',
];

const tests = import.meta.glob<string>(['./**/*.test.*', '!./messages.test.ts', '../tests/*.spec.ts'], {
  query: '?raw',
  import: 'default',
  eager: true,
});
/** The text of every test, with line breaks as spaces. */
const asserted = Object.values(tests).join('\n').replace(/\s+/g, ' ');

function inTests(message: string): RegExp {
  const words = message.split(/\{\w+\}/).map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  return new RegExp(words.join('.{1,40}?'));
}

it.each(messages)('a test provokes “%s”', (message) => {
  expect(inTests(message).test(asserted)).toBe(true);
});
