import { useRouteError } from 'react-router';

/** The last resort: a page that broke, or a part of the app that could not be loaded. */
export function RouteError() {
  const error = useRouteError();
  return (
    <main className="route-error">
      <h1>Unexpected Application Error!</h1>
      <p role="alert">
        {error instanceof Error ? error.message : 'Something broke while this page was shown.'}
      </p>
      <div>
        <button
          type="button"
          className="button button-primary button-md"
          onClick={() => window.location.reload()}
        >
          Reload the page
        </button>
      </div>
    </main>
  );
}
