import { useEffect, useId, useState, type KeyboardEvent } from 'react';
import { Input } from 'antd';
import { useNavigate } from 'react-router';
import { useAll, useGet } from '@/api/hooks';
import type { Session } from '@/api/session';
import { paths } from '@/paths';
import { pickTheme, themeNames, useThemeChoice, type ThemeChoice } from '@/ui/colorTheme';
import { Dialog } from '@/ui/Dialog';
import { found, placesOf, type Command } from './commands';
import './CommandPalette.css';

/** Goes anywhere and does anything from the keyboard: type, choose by the arrows, Enter. */
export function CommandPalette({
  user,
  onKeyList,
  onSignOut,
  onClose,
}: {
  user: Session;
  onKeyList: () => void;
  onSignOut: () => void;
  onClose: () => void;
}) {
  const id = useId();
  const navigate = useNavigate();
  const [sought, setSought] = useState('');
  const [at, setAt] = useState(0);
  const places = usePlaces(user);
  const actions = useActions(user, onKeyList, onSignOut);
  const sections = found([...actions, ...places], sought);
  const shown = sections.flatMap(({ of }) => of);
  const active = Math.min(at, shown.length - 1);
  const optionId = (place: number) => `${id}-${place}`;

  const choose = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    if ('to' in command.act) void navigate(command.act.to);
    else command.act.do();
  };
  const press = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) setAt((active + step + shown.length) % Math.max(1, shown.length));
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) choose(shown[active]);
    else return;
    event.preventDefault();
  };
  useEffect(() => {
    document.getElementById(`${id}-${active}`)?.scrollIntoView({ block: 'nearest' });
  }, [id, active]);

  let place = -1;
  return (
    <Dialog title="Go to" size="lg" onClose={onClose}>
      <Input
        role="combobox"
        aria-label="Page, survey, run, group or action"
        aria-expanded
        aria-autocomplete="list"
        aria-controls={`${id}-list`}
        {...(shown.length > 0 && { 'aria-activedescendant': optionId(active) })}
        placeholder="Page, survey, run, group or action"
        value={sought}
        onChange={({ target: { value } }) => {
          setSought(value);
          setAt(0);
        }}
        onKeyDown={press}
      />
      <div id={`${id}-list`} className="palette" role="listbox" aria-label="Found" tabIndex={-1}>
        {sections.map(({ section, of }) => (
          <div key={section} role="group" aria-labelledby={`${id}-${section}`}>
            <div id={`${id}-${section}`} className="palette-section muted tiny" role="presentation">
              {section}
            </div>
            {of.map((command) => {
              const here = ++place;
              return (
                <div
                  key={command.id}
                  id={optionId(here)}
                  className="palette-option line gap-4 between"
                  role="option"
                  aria-selected={here === active}
                  onMouseMove={() => setAt(here)}
                  onClick={() => choose(command)}
                >
                  <span className="palette-label truncate">{command.label}</span>
                  {command.hint && <span className="palette-hint truncate muted small">{command.hint}</span>}
                </div>
              );
            })}
          </div>
        ))}
      </div>
      <p className="palette-none muted" role="status">
        {shown.length === 0 && 'Nothing is called like this.'}
      </p>
    </Dialog>
  );
}

/** The places that the user may go to, as far as they are loaded. */
function usePlaces(user: Session): Command[] {
  const everywhere = user.role === 'super_admin';
  const surveys = useAll(everywhere ? null : '/api/surveys/my', {}).data;
  const runs = useGet('/api/simulations', { params: { query: { limit: 50 } } }).data;
  const own = useAll(everywhere ? null : '/api/groups/my', {}).data;
  const all = useAll(everywhere ? '/api/groups' : null, {}).data;
  return placesOf(user, { surveys, runs, groups: everywhere ? all : own });
}

/** The actions of every page. */
function useActions(user: Session, onKeyList: () => void, onSignOut: () => void): Command[] {
  const theme = useThemeChoice();
  const action = (label: string, act: Command['act'], words = ''): Command => ({
    id: `action ${label}`,
    section: 'Actions',
    label,
    words,
    act,
  });
  return [
    ...(user.role === 'super_admin' ? [] : [action('Create survey', { to: paths.createSurvey }, 'new')]),
    ...(user.role === 'user'
      ? []
      : [
          action(
            'Create group',
            { to: user.role === 'admin' ? paths.createOwnGroup : paths.createGroup },
            'new class',
          ),
        ]),
    action('Show the keys', { do: onKeyList }, 'keyboard shortcuts help'),
    ...(Object.keys(themeNames) as ThemeChoice[])
      .filter((choice) => choice !== theme)
      .map((choice) => action(themeNames[choice], { do: () => pickTheme(choice, true) }, 'color mode')),
    action('Sign out', { do: onSignOut }, 'log out leave'),
  ];
}
