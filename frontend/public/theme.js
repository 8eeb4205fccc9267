// Before the first paint, so that a dark page never flashes white. A file of its own: inline scripts are not allowed.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem('theme');
  } catch {
    // Storage may be switched off: the system's preference then decides.
  }
  if (chosen !== 'light' && chosen !== 'dark') {
    chosen = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  }
  document.documentElement.dataset.theme = chosen;
})();
