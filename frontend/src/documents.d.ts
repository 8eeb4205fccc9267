/** Documents of the repository, as HTML. */
declare module '*.md' {
  const html: string;
  export default html;
}
