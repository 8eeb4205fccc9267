// Before the first paint, so that a dark page never flashes white. A file of its own: inline scripts are not allowed.
(function () {
  var chosen = null;
  try {
    chosen = localStorage.getItem('theme');
  } catch {
    // Storage may be switched off: then it is light.
  }
  if (chosen === 'system' && matchMedia('(prefers-color-scheme: dark)').matches) chosen = 'dark';
  document.documentElement.dataset.theme = chosen === 'dark' ? 'dark' : 'light';
})();
