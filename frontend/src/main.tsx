import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { RouterProvider } from 'react-router';
import '@fontsource-variable/public-sans';
import '@fontsource/source-serif-4/600.css';
import './ui/tokens.css';
import './ui/base.css';
import './ui/layout.css';
import './ui/plain.css';
import { ready, router } from './routes';

const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no #root');
const opened = router();
// Not awaited here: pages import what this chunk holds besides, and would wait for it as it does for them.
void ready(opened).then(() =>
  createRoot(root).render(
    <StrictMode>
      <RouterProvider router={opened} />
    </StrictMode>,
  ),
);
