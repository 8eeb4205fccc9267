import { useState } from 'react';
import { Dropdown, type MenuProps } from 'antd';
import { useNavigate } from 'react-router';
import { useAll } from '@/api/hooks';
import type { Session } from '@/api/session';
import { paths } from '@/paths';
import { pickTheme, useThemeChoice, type ThemeChoice } from '@/ui/colorTheme';
import { count } from '@/ui/format';
import { CheckIcon, ChevronIcon } from '@/ui/icons';
import { chordText, keys } from '@/ui/keys';

const themes: Record<ThemeChoice, string> = { light: 'Light', dark: 'Dark', system: 'As the system' };

/** The menu of the signed-in user: credits, settings, theme, keys and sign-out. */
export function AccountMenu({
  user,
  onPalette,
  onKeyList,
  onSignOut,
}: {
  user: Session;
  onPalette: () => void;
  onKeyList: () => void;
  onSignOut: () => void;
}) {
  const [open, setOpen] = useState(false);
  const navigate = useNavigate();
  const theme = useThemeChoice();
  const groups = useAll(open && user.role !== 'super_admin' ? '/api/groups/my' : null, {}).data;
  const credits = groups?.reduce((sum, { available }) => sum + (available ?? 0), 0);

  const actions: Record<string, () => void> = {
    settings: () => void navigate(paths.settings),
    admin: () => void navigate(paths.admin),
    palette: onPalette,
    keys: onKeyList,
    leave: onSignOut,
  };
  const items: MenuProps['items'] = [
    {
      key: 'who',
      type: 'group',
      label: (
        <span className="account-who">
          Signed in as <strong>{user.email}</strong>
          {credits !== undefined && <span>{count(credits)} credits left</span>}
        </span>
      ),
    },
    { key: 'settings', label: 'Settings' },
    ...(user.role === 'super_admin' ? [{ key: 'admin', label: 'Administration' }] : []),
    { type: 'divider' },
    {
      key: 'theme',
      type: 'group',
      label: 'Theme',
      children: (Object.keys(themes) as ThemeChoice[]).map((choice) => ({
        key: choice,
        label: (
          <>
            {themes[choice]}
            {choice === theme && <span className="visually-hidden">, chosen</span>}
          </>
        ),
        ...(choice === theme && { extra: <CheckIcon /> }),
      })),
    },
    { type: 'divider' },
    { key: 'palette', label: 'Go to', extra: chordText(keys.palette.chords[0]) },
    { key: 'keys', label: 'Keyboard', extra: chordText(keys.keyList.chords[0]) },
    { type: 'divider' },
    { key: 'leave', label: 'Sign out' },
  ];
  return (
    <Dropdown
      autoFocus
      trigger={['click']}
      placement="bottomRight"
      // Within the header, so that it is in one of the page's landmarks.
      getPopupContainer={(opener) => opener.parentElement ?? document.body}
      open={open}
      onOpenChange={setOpen}
      menu={{
        className: 'account-menu',
        items,
        onClick: ({ key }) => {
          setOpen(false);
          if (key in themes) pickTheme(key as ThemeChoice, true);
          else actions[key]?.();
        },
      }}
    >
      <button type="button" className="icon-button account-opener" aria-label="Account" aria-expanded={open}>
        <ChevronIcon />
      </button>
    </Dropdown>
  );
}
