import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';
import '@fontsource-variable/public-sans';
import '@fontsource-variable/source-serif-4';
import './ui/tokens.css';
import './ui/base.css';
import { ready, router } from './routes';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const opened = router();
await ready(opened);
createRoot(root).render(
  <StrictMode>
    <RouterProvider router={opened} />
  </StrictMode>,
);
