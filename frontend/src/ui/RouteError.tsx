import { useRouteError } from 'react-router';
import { Button } from './Button';
import './Page.css';

/** The last resort: a page that broke, or a part of the app that could not be loaded. */
export function RouteError() {
  const error = useRouteError();
  return (
    <main className="page">
      <h1>Unexpected Application Error!</h1>
      <p role="alert">
        {error instanceof Error ? error.message : 'Something broke while this page was shown.'}
      </p>
      <div>
        <Button onClick={() => window.location.reload()}>Reload the page</Button>
      </div>
    </main>
  );
}
