import { Page } from '@/ui/Page';

export default function Login() {
  return <Page title="Digital Twin Lab">{null}</Page>;
}
