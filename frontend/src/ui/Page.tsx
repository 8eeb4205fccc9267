import type { ReactNode } from 'react';
import { Button, Spin, type ButtonProps } from 'antd';
import { useHref, useLinkClickHandler } from 'react-router';
import { useTitle } from './useTitle';
import './Page.css';

/** A signed-in page: its heading, what can be done there, and the content. */
export function Page({
  title,
  subtitle,
  actions,
  wide = false,
  children,
}: {
  title: string;
  subtitle?: ReactNode;
  actions?: ReactNode;
  /** For tables with many columns. */
  wide?: boolean;
  children: ReactNode;
}) {
  useTitle(title);
  return (
    <div className={wide ? 'page page-wide' : 'page'}>
      <div className="page-head">
        <div>
          <h1>{title}</h1>
          {subtitle !== undefined && <p className="page-subtitle">{subtitle}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** A part of a page on its own surface. */
export function Panel({
  title,
  extra,
  children,
}: {
  title?: ReactNode;
  extra?: ReactNode;
  children: ReactNode;
}) {
  return (
    <section className="panel">
      {(title !== undefined || extra !== undefined) && (
        <div className="panel-head">
          {title !== undefined && <h2>{title}</h2>}
          {extra}
        </div>
      )}
      {children}
    </section>
  );
}

/** Nothing to show, and what to do about it. */
export function EmptyState({
  title,
  children,
  action,
}: {
  title: string;
  children?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="empty-state">
      <svg viewBox="0 0 48 32" width="72" height="48" aria-hidden="true">
        <circle cx="17" cy="16" r="12" fill="var(--surface-2)" />
        <circle
          cx="31"
          cy="16"
          r="12"
          fill="none"
          stroke="var(--line)"
          strokeWidth="2.5"
          strokeDasharray="4 3.4"
        />
      </svg>
      <h2>{title}</h2>
      {children !== undefined && <p>{children}</p>}
      {action}
    </div>
  );
}

export function Loading({ text = 'Loading...' }: { text?: string }) {
  return (
    <div className="loading" role="status">
      <Spin /> {text}
    </div>
  );
}

/** A link to another page that looks like a button. */
export function LinkButton({ to, ...button }: ButtonProps & { to: string }) {
  const follow = useLinkClickHandler(to);
  return (
    <Button
      {...button}
      href={useHref(to)}
      onClick={(event) => follow(event as React.MouseEvent<HTMLAnchorElement>)}
    />
  );
}
