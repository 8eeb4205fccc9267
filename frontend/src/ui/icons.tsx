// The icons of the product, 24 by 24 and drawn with one pen: a few of its own load sooner than a library of them.

export function ProfileIcon() {
  return <Icon lines="M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 20.5c.8-3.9 4-6 8-6s7.2 2.1 8 6" />;
}

export function SignOutIcon() {
  return <Icon lines="M14 4H6a2 2 0 0 0-2 2v12a2 2 0 0 0 2 2h8M10 12h11M17 7.5l4.5 4.5-4.5 4.5" />;
}

export function MenuIcon() {
  return <Icon lines="M4 6.5h16M4 12h16M4 17.5h16" />;
}

export function EditIcon() {
  return <Icon lines="M4 20l1-4.2L16.3 4.5a2.1 2.1 0 0 1 3.2 3.2L8.2 19zM14 6.8l3.2 3.2" />;
}

export function DeleteIcon() {
  return <Icon lines="M4 6.5h16M9 6.5V4h6v2.5M6.3 6.5l1 13.5h9.4l1-13.5M10.2 10.5v5.5M13.8 10.5v5.5" />;
}

export function ViewIcon() {
  return (
    <Icon lines="M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12M12 15a3 3 0 1 0 0-6 3 3 0 0 0 0 6" />
  );
}

export function DownloadIcon() {
  return <Icon lines="M12 4v11.5M7 11l5 5 5-5M4.5 20h15" />;
}

export function HistoryIcon() {
  return <Icon lines="M12 7.5V12l3 2M4.2 10.5A8 8 0 1 1 4 13M4 6v4.5h4.5" />;
}

export function PlusIcon() {
  return <Icon lines="M12 5v14M5 12h14" />;
}

export function MinusIcon() {
  return <Icon lines="M5 12h14" />;
}

export function CheckIcon() {
  return <Icon lines="M4.5 12.5l5 5L19.5 7" />;
}

export function CrossIcon() {
  return <Icon lines="M6 6l12 12M18 6L6 18" />;
}

/** Brought to a figure, up or down. */
export function SetIcon() {
  return <Icon lines="M4 8.5h15M15 4.5l4 4-4 4M20 15.5H5M9 11.5l-4 4 4 4" />;
}

/** `lines` is the path of an SVG, in the colour of the text around. */
function Icon({ lines }: { lines: string }) {
  return (
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
}
