import type { ReactNode } from 'react';
import { Breadcrumb, Button, Spin, type ButtonProps } from 'antd';
import { Link, useHref, useLinkClickHandler } from 'react-router';
import { useTitle } from './titleAndAddress';

/** A signed-in page: its heading, what can be done there, and the content. */
export function Page({
  title,
  subtitle,
  actions,
  trail,
  children,
}: {
  title: string;
  subtitle?: ReactNode;
  actions?: ReactNode;
  /** The way from the area to this page. */
  trail?: Trail;
  children: ReactNode;
}) {
  useTitle(title);
  return (
    <div className="page stack gap-5">
      <div className="page-head row gap-4 between">
        <div>
          {trail !== undefined && <Breadcrumbs trail={trail} />}
          <h1>{title}</h1>
          {subtitle !== undefined && <p className="page-subtitle">{subtitle}</p>}
        </div>
        {actions !== undefined && <div className="page-actions">{actions}</div>}
      </div>
      {children}
    </div>
  );
}

/** Pages above a page and the page itself, which has no address; `null` for what is not known yet. */
export type Trail = readonly ({ label: string; to?: string } | null)[];

function Breadcrumbs({ trail }: { trail: Trail }) {
  return (
    <div className="page-trail">
      <Breadcrumb
        aria-label="Breadcrumb"
        separator="›"
        items={trail
          .filter((step) => step !== null)
          .map(({ label, to }, index) => ({
            key: index,
            title:
              to === undefined ? (
                <span {...(index === trail.length - 1 && { 'aria-current': 'page' })} title={label}>
                  {label}
                </span>
              ) : (
                <Link to={to} title={label}>
                  {label}
                </Link>
              ),
          }))}
      />
    </div>
  );
}

/** Stands for a page whose subject does not exist, or is none of the user's business. */
export function NotHere({ title, back, children }: { title: string; back: ReactNode; children: ReactNode }) {
  return (
    <Page title={title}>
      <Panel>
        <EmptyState title="Nothing is here" action={back}>
          {children}
        </EmptyState>
      </Panel>
    </Page>
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
    <section className="panel card">
      {(title !== undefined || extra !== undefined) && (
        <div className="panel-head row gap-3 between">
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
    <div className="empty-state stack gap-3">
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
    <div className="loading line gap-3 muted" role="status">
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
