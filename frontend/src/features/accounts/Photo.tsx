import { useState } from 'react';
import { App, Avatar, Button, Upload } from 'antd';
import { api, messageOf } from '@/api/client';
import type { Profile } from '@/api/types';

const MAX_BYTES = 2 * 1024 * 1024;

/** The photo, or the first letter; choosing a file uploads it. PNG, JPEG or WebP up to 2 MiB. */
export function Photo({ profile, onChange }: { profile: Profile; onChange: (profile: Profile) => void }) {
  const { message } = App.useApp();
  const [uploading, setUploading] = useState(false);

  const upload = async (file: File) => {
    if (file.size > MAX_BYTES) {
      void message.error('The photo must be at most 2 MB.');
      return;
    }
    const form = new FormData();
    form.append('photo', file);
    setUploading(true);
    try {
      // The schema has no type for a form of files.
      onChange(await api.post('/api/auth/photo', { body: form as never }));
    } catch (error) {
      void message.error(messageOf(error, 'Failed to upload the photo.'));
    } finally {
      setUploading(false);
    }
  };
  return (
    <div className="photo stack gap-1">
      <Avatar size={72} src={profile.photoUrl} alt="">
        {(profile.name ?? profile.email).charAt(0).toUpperCase()}
      </Avatar>
      <Upload
        accept="image/png,image/jpeg,image/webp"
        aria-label="Change photo"
        hasControlInside
        showUploadList={false}
        beforeUpload={(file) => {
          void upload(file);
          return false;
        }}
      >
        <Button type="link" size="small" disabled={uploading}>
          {uploading ? 'Uploading...' : 'Change photo'}
        </Button>
      </Upload>
    </div>
  );
}
