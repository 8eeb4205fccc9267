import { useMemo, type ReactNode } from 'react';
import { App, ConfigProvider, theme as antd, type ThemeConfig } from 'antd';
import { useTheme, type Theme } from './colorTheme';

/** Seconds that a toast stays. */
const TOAST_SECONDS = 5;
/** The upper edge of toasts: below the menu, which `Navigation.css` makes 4 rem high. */
const TOAST_TOP = 'calc(4rem + 8px)';

/** Gives antd the product's look, and its parts the place where toasts are shown (`App.useApp().message`). */
export function AntdTheme({ children }: { children: ReactNode }) {
  const theme = useTheme();
  const config = useMemo(() => themeConfig(theme), [theme]);
  return (
    <ConfigProvider
      theme={config}
      button={{ autoInsertSpace: false, loadingIcon: <span className="button-spinner" aria-hidden="true" /> }}
      form={{ requiredMark: false }}
      wave={{ disabled: true }}
    >
      <App component={false} message={{ top: TOAST_TOP, duration: TOAST_SECONDS, maxCount: 3 }}>
        {children}
      </App>
    </ConfigProvider>
  );
}

// For antd's own `message`, which shows what has to outlast the signed-in pages.
ConfigProvider.config({ holderRender: (children) => <AntdTheme>{children}</AntdTheme> });

/** antd's tokens and the variables of `tokens.css` that they take their colours from. */
const colors: Partial<Record<keyof NonNullable<ThemeConfig['token']>, string>> = {
  colorPrimary: '--brand',
  colorPrimaryBg: '--brand-soft',
  colorPrimaryHover: '--brand-strong',
  colorInfo: '--brand',
  colorInfoBg: '--brand-soft',
  colorLink: '--brand',
  colorSuccess: '--good',
  colorSuccessBg: '--good-soft',
  colorWarning: '--warn',
  colorWarningBg: '--warn-soft',
  colorError: '--bad',
  colorErrorBg: '--bad-soft',
  colorTextBase: '--ink',
  colorText: '--ink',
  colorTextSecondary: '--ink-soft',
  colorTextDescription: '--ink-soft',
  colorTextPlaceholder: '--ink-faint',
  colorTextLightSolid: '--on-brand',
  colorBgBase: '--surface',
  colorBgContainer: '--surface',
  colorBgElevated: '--surface-raised',
  colorBgLayout: '--canvas',
  colorFillAlter: '--surface-2',
  colorBorder: '--line-strong',
  colorBorderSecondary: '--line',
  colorSplit: '--line',
};

/** The dark algorithm dims the main colours, which tokens.css has already chosen for dark surfaces. */
const keepColors: typeof antd.defaultAlgorithm = (seed, derived = antd.defaultAlgorithm(seed)) => ({
  ...derived,
  colorPrimary: seed.colorPrimary,
  colorInfo: seed.colorInfo,
  colorLink: seed.colorLink,
  colorSuccess: seed.colorSuccess,
  colorWarning: seed.colorWarning,
  colorError: seed.colorError,
});

function themeConfig(theme: Theme): ThemeConfig {
  // antd derives further shades, so it needs the values and not `var(--brand)`.
  const css = getComputedStyle(document.documentElement);
  const read = Object.entries(colors).map(([token, name]) => [token, css.getPropertyValue(name).trim()]);
  return {
    algorithm: [theme === 'dark' ? antd.darkAlgorithm : antd.defaultAlgorithm, keepColors],
    token: {
      // Without style sheets, as in unit tests, antd's own colours stay.
      ...Object.fromEntries(read.filter(([, value]) => value !== '')),
      fontFamily: 'var(--font-body)',
      fontSize: 15,
      borderRadius: 10,
      controlHeight: 40,
      controlHeightSM: 34,
      controlHeightLG: 48,
      motion: !matchMedia('(prefers-reduced-motion: reduce)').matches,
    },
    components: {
      Alert: { defaultPadding: '10px 16px' },
      Button: { fontWeight: 600, primaryShadow: 'none', defaultShadow: 'none', dangerShadow: 'none' },
      Checkbox: { borderRadiusSM: 4 },
      Modal: { titleFontSize: 20 },
      Table: {
        headerBg: 'transparent',
        headerSplitColor: 'transparent',
        cellPaddingBlock: 12,
        cellPaddingInline: 12,
      },
      Tabs: { titleFontSize: 15 },
      Tag: { borderRadiusSM: 999, fontSizeSM: 13 },
    },
  };
}
