import type { Role } from '@/api/types';
import { paths } from '@/paths';

interface MenuItem {
  label: string;
  to: string;
  /** A page whose address begins like one of these belongs to the item, too. */
  area?: readonly string[];
  roles: readonly Role[];
}

const everyone: readonly Role[] = ['super_admin', 'admin', 'user'];
const items: readonly MenuItem[] = [
  { label: 'Dashboard', to: paths.dashboard, roles: everyone },
  { label: 'Groups', to: paths.groups, area: ['/groups/'], roles: ['super_admin'] },
  { label: 'My Groups', to: paths.myGroups, area: ['/groups/'], roles: ['user', 'admin'] },
  {
    label: 'Survey Builder',
    to: paths.surveyBuilder,
    area: ['/surveys/', '/study-plans/'],
    roles: ['user', 'admin'],
  },
  {
    label: 'Simulation History',
    to: paths.simulationHistory,
    area: ['/simulation-responses/', '/compare', '/studies/'],
    roles: everyone,
  },
  { label: 'Transactions', to: paths.transactions, roles: everyone },
];

/** The menu of a role. */
export const menuOf = (role: Role): readonly MenuItem[] => items.filter(({ roles }) => roles.includes(role));
