UPDATE user_settings SET theme = 'light' WHERE theme = 'system';
ALTER TABLE user_settings DROP CONSTRAINT user_settings_theme_check;
ALTER TABLE user_settings ADD CONSTRAINT user_settings_theme_check CHECK (theme IN ('light', 'dark'));
