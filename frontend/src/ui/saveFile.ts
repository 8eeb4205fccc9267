/** Browsers that read the file after the click still find it. */
const KEPT_MS = 60_000;

/** Hands the browser a file to keep. Throws where it has no name. */
export function saveFile(content: Blob, name: string): void {
  if (name.trim() === '') throw new Error('Invalid filename provided');
  const address = URL.createObjectURL(content);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), KEPT_MS);
}
