import './Logo.css';

/** A person and the twin beside: one drawn in full, one in dashes. */
export function LogoMark({ size = 32 }: { size?: number }) {
  return (
    <svg className="logo-mark" viewBox="0 0 32 32" width={size} height={size} aria-hidden="true">
      <circle cx="11.5" cy="16" r="8.5" fill="var(--brand)" />
      <circle
        cx="21"
        cy="16"
        r="8.5"
        fill="none"
        stroke="var(--accent-mark)"
        strokeWidth="2.4"
        strokeDasharray="3.2 2.7"
      />
    </svg>
  );
}

export function Logo() {
  return (
    <span className="logo">
      <LogoMark />
      <span className="logo-name">Digital Twin Lab</span>
    </span>
  );
}
