import { mayManage } from '@/api/groups';
import type { Session } from '@/api/session';
import type { Group, Simulation, Survey } from '@/api/types';
import { paths } from '@/paths';
import { displayOf, labels, shortId } from '@/runs/display';
import { relativeDate } from '@/ui/format';
import { menuOf } from '../menu';

export type Section = 'Actions' | 'Pages' | 'Surveys' | 'Runs' | 'Groups';

/** The order of sections where nothing is searched for, and how many of each are shown then. */
const unsought: readonly [Section, number][] = [
  ['Actions', 8],
  ['Pages', 10],
  ['Runs', 5],
  ['Surveys', 5],
  ['Groups', 5],
];
/** The most that are shown of a section once something is searched for. */
const MOST_FOUND = 8;

/** An entry of the palette: a place to go to, or something to do. */
export interface Command {
  id: string;
  section: Section;
  label: string;
  /** Tells it from others of the same name. */
  hint?: string;
  /** Further words by which the command is found. */
  words?: string;
  act: { to: string } | { do: () => void };
}

/** The places that a user may go to, from the data that is loaded. */
export function placesOf(
  user: Session,
  known: {
    surveys?: readonly Survey[] | undefined;
    runs?: readonly Simulation[] | undefined;
    groups?: readonly Group[] | undefined;
  },
): Command[] {
  const page = (label: string, to: string, words = ''): Command => ({
    id: `page ${to}`,
    section: 'Pages',
    label,
    words,
    act: { to },
  });
  return [
    ...menuOf(user.role).map(({ label, to }) => page(label, to)),
    page('Compare simulations', paths.compare(), 'runs difference'),
    page('Planner', paths.planner, 'sample size power how many people'),
    page('Validation', paths.validation, 'accuracy trust held out people'),
    ...(user.role === 'super_admin' ? [page('Administration', paths.admin, 'admin personas queue')] : []),
    page('Profile', paths.profile, 'name photo account'),
    page('Settings', paths.settings, 'notifications theme tokens account'),
    ...(known.runs ?? []).map((run): Command => ({
      id: `run ${run.simulationId}`,
      section: 'Runs',
      label: run.name ?? run.surveyTitle,
      hint: [
        ...(run.name == null ? [] : [run.surveyTitle]),
        labels[displayOf(run.status)].text,
        relativeDate(run.created_at),
      ].join(' · '),
      words: `${shortId(run.simulationId)} ${run.startedBy ?? ''}`,
      act: { to: paths.responses(run.surveyId, run.simulationId) },
    })),
    ...(known.surveys ?? []).map((survey): Command => ({
      id: `survey ${survey.id}`,
      section: 'Surveys',
      label: survey.title,
      hint: survey.group?.group_name ?? '',
      act: { to: paths.survey(survey.id) },
    })),
    ...(known.groups ?? []).map((group): Command => ({
      id: `group ${group.id}`,
      section: 'Groups',
      label: group.groupName,
      hint: group.ownerEmail,
      act: { to: mayManage(user, group) ? paths.manageMembers(group.id) : paths.myGroups },
    })),
  ];
}

/** The commands that hold every word, section by section: those that begin so first, a section with the best of them too. */
export function found(commands: readonly Command[], sought: string): { section: Section; of: Command[] }[] {
  const words = sought.toLowerCase().split(/\s+/).filter(Boolean);
  const sections = unsought.map(([section, few]) => {
    const ranked = commands
      .filter((command) => command.section === section)
      .map((command) => ({ command, rank: rankOf(command, words) }))
      .filter(({ rank }) => rank < NOT_FOUND)
      .toSorted((one, other) => one.rank - other.rank);
    return {
      section,
      best: ranked[0]?.rank ?? NOT_FOUND,
      of: ranked.slice(0, words.length === 0 ? few : MOST_FOUND).map(({ command }) => command),
    };
  });
  return sections.filter(({ of }) => of.length > 0).toSorted((one, other) => one.best - other.best);
}

const NOT_FOUND = 4;

/** 0 where the label begins so, 1 where a word of it does, 2 where it holds the words, 3 where something else does. */
function rankOf({ label, hint = '', words: more = '' }: Command, words: readonly string[]): number {
  const name = label.toLowerCase();
  const all = `${name} ${hint} ${more}`.toLowerCase();
  if (!words.every((word) => all.includes(word))) return NOT_FOUND;
  if (name.startsWith(words.join(' '))) return 0;
  const parts = name.split(/[\s(“"]+/);
  if (words.every((word) => parts.some((part) => part.startsWith(word)))) return 1;
  return words.every((word) => name.includes(word)) ? 2 : 3;
}
