import { Page } from '@/ui/Page';

export default function SettingsPage() {
  return <Page title="Settings">{null}</Page>;
}
