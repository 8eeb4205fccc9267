import { theme as antd, type ThemeConfig } from 'antd';
import type { Theme } from '../colorTheme';

/** antd's side of `../tokens.css`. */
const seeds = {
  light: {
    colorPrimary: '#12505f',
    colorInfo: '#12505f',
    colorSuccess: '#1d6b3f',
    colorWarning: '#7a5200',
    colorError: '#b3261e',
    colorTextBase: '#14262c',
    colorBgBase: '#ffffff',
    colorBgLayout: '#f4f7f8',
    colorBorder: '#8fa3aa',
    colorBorderSecondary: '#d3dee1',
    colorTextSecondary: '#47595f',
    colorTextDescription: '#47595f',
    colorTextPlaceholder: '#5f7279',
  },
  dark: {
    colorPrimary: '#7cc4d4',
    colorInfo: '#7cc4d4',
    colorSuccess: '#84d3a4',
    colorWarning: '#f0c66c',
    colorError: '#ff9c93',
    colorTextBase: '#e8f0f2',
    colorBgBase: '#162125',
    colorBgLayout: '#0e1619',
    colorBgContainer: '#162125',
    colorBgElevated: '#1b282d',
    colorBorder: '#5b7078',
    colorBorderSecondary: '#2c3d43',
    colorTextSecondary: '#a9bac0',
    colorTextDescription: '#a9bac0',
    colorTextPlaceholder: '#8fa3aa',
    colorTextLightSolid: '#08252d',
  },
} satisfies Record<Theme, ThemeConfig['token']>;

/** Whether things may move; people who asked their system for less motion get none. */
const moves = () => !matchMedia('(prefers-reduced-motion: reduce)').matches;

export function antdTheme(theme: Theme): ThemeConfig {
  const colors = seeds[theme];
  return {
    algorithm: theme === 'dark' ? antd.darkAlgorithm : antd.defaultAlgorithm,
    token: {
      ...colors,
      fontFamily: 'var(--font-body)',
      fontSize: 15,
      borderRadius: 8,
      controlHeight: 38,
      wireframe: false,
      motion: moves(),
      colorLink: colors.colorPrimary,
    },
    components: {
      Table: { headerBg: 'transparent', headerColor: colors.colorTextSecondary, cellPaddingBlock: 12 },
      Modal: { titleFontSize: 20 },
      Button: { fontWeight: 600, primaryShadow: 'none', defaultShadow: 'none' },
      Tabs: { titleFontSize: 15 },
    },
  };
}
