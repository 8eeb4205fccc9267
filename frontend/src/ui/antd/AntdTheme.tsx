import type { ReactNode } from 'react';
import { ConfigProvider } from 'antd';
import { useTheme } from '../colorTheme';
import { antdTheme } from './theme';

/** Gives antd's parts our colours and type. It stands close around them: pages without such parts load nothing of it. */
export function AntdTheme({ children }: { children: ReactNode }) {
  return (
    <ConfigProvider theme={antdTheme(useTheme())} button={{ autoInsertSpace: false }}>
      {children}
    </ConfigProvider>
  );
}
