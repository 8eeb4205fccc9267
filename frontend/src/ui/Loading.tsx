import './Loading.css';

export function Loading({ text = 'Loading...' }: { text?: string }) {
  return (
    <div className="loading" role="status">
      <span className="loading-mark" aria-hidden="true" />
      {text}
    </div>
  );
}
