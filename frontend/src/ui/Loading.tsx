import './Loading.css';

export function Loading({ text = 'Loading...' }: { text?: string }) {
  return (
    <div className="loading" role="status">
      <LoadingMark />
      {text}
    </div>
  );
}

/** Turns as long as something is under way. */
export function LoadingMark() {
  return <span className="loading-mark" aria-hidden="true" />;
}
