// The bar stands on every page: three icons of its own load sooner than a library of them.

export function ProfileIcon() {
  return <Icon lines="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 20.5c.8-3.9 4-6 8-6s7.2 2.1 8 6" />;
}

export function SignOutIcon() {
  return <Icon lines="M14 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h8M10 12h11M17 7.5l4.5 4.5-4.5 4.5" />;
}

export function MenuIcon() {
  return <Icon lines="M4 6.5h16M4 12h16M4 17.5h16" />;
}

/** `lines` is the path of an SVG of 24 by 24, drawn in the colour of the text around. */
function Icon({ lines }: { lines: string }) {
  return (
    <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
      <path
        d={lines}
        fill="none"
        stroke="currentColor"
        strokeWidth="2"
        strokeLinecap="round"
        strokeLinejoin="round"
      />
    </svg>
  );
}
