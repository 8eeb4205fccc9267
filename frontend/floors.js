import { dirname, relative, resolve, sep } from 'node:path';

const SOURCES = resolve(import.meta.dirname, 'src');

/** The folders and modules of `src`, from the highest floor to the lowest. Imports go down; none goes to another of its floor. */
const FLOORS = [
  ['main'],
  ['routes'],
  ['pages', 'public'],
  ['features'],
  ['shell'],
  ['runs'],
  ['charts', 'editing'],
  ['question-types'],
  ['ui'],
  ['api'],
  ['paths'],
];

/** Each folder of these is a room of its own. */
const SHARED_BY_ROOMS = ['features', 'pages'];

/** The room of a file and its floor, counted from the top; `null` for a file that is on no floor. */
function locate(file) {
  const [first, second, ...rest] = relative(SOURCES, file).split(sep);
  const floor = FLOORS.findIndex((names) => names.includes(first?.replace(/\.tsx?$/, '')));
  if (floor === -1) return null;
  return { floor, room: SHARED_BY_ROOMS.includes(first) && rest.length > 0 ? `${first}/${second}` : first };
}

/** The file that an import names, without its extension; `null` for one of a package. */
function fileOf(specifier, importer) {
  if (specifier.startsWith('@/')) return resolve(SOURCES, specifier.slice(2));
  return specifier.startsWith('.') ? resolve(dirname(importer), specifier) : null;
}

/** ESLint's rule: imports go down the floors, by alias and by relative path alike, and no feature imports another. */
export const importsGoDown = {
  meta: { type: 'problem', schema: [] },
  create(context) {
    const { filename } = context;
    const here = locate(filename);
    if (here === null) return {};
    const check = (source) => {
      if (typeof source?.value !== 'string') return;
      const file = fileOf(source.value, filename);
      const there = file === null ? null : locate(file);
      if (there === null || there.room === here.room || there.floor > here.floor) return;
      context.report({
        node: source,
        message: `Imports go down the floors: ${here.room} does not import ${there.room}.`,
      });
    };
    return {
      ImportDeclaration: ({ source }) => check(source),
      ImportExpression: ({ source }) => check(source),
      ExportNamedDeclaration: ({ source }) => check(source),
      ExportAllDeclaration: ({ source }) => check(source),
    };
  },
};
