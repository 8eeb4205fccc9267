import { Outlet } from 'react-router';
import { AntdTheme } from './AntdTheme';

/** Around a page that has fields of antd's. */
export default function AntdPage() {
  return (
    <AntdTheme>
      <Outlet />
    </AntdTheme>
  );
}
