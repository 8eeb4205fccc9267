// The signed-in pages and the frame around them: one chunk, with antd.
export { default as AppLayout } from './shell/AppLayout';
export { default as Admin } from './features/admin/Admin';
export { default as Dashboard } from './features/dashboard/Dashboard';
export { default as Groups } from './features/groups/Groups';
export { default as ManageMembers } from './features/groups/ManageMembers';
export { default as MyGroups } from './features/groups/MyGroups';
export { default as Profile } from './features/accounts/Profile';
export { default as QuestionsEditor } from './features/surveys/QuestionsEditor';
export { default as Responses } from './features/results/Responses';
export { default as SettingsPage } from './features/accounts/SettingsPage';
export { default as SimulationHistory } from './features/simulations/SimulationHistory';
export { default as SurveyBuilder } from './features/surveys/SurveyBuilder';
export { default as Transactions } from './features/transactions/Transactions';
