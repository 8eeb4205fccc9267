import { useId, useState, type ChangeEvent } from 'react';
import { api, messageOf } from '@/api/client';
import type { Profile } from '@/api/types';
import { toast } from '@/ui/toasts';

const MAX_BYTES = 2 * 1024 * 1024;

/** The photo, or the first letter; choosing a file uploads it. PNG, JPEG or WebP up to 2 MiB. */
export function Photo({ profile, onChange }: { profile: Profile; onChange: (profile: Profile) => void }) {
  const id = useId();
  const [uploading, setUploading] = useState(false);

  const upload = async (event: ChangeEvent<HTMLInputElement>) => {
    const file = event.target.files?.[0];
    if (file === undefined) return;
    if (file.size > MAX_BYTES) {
      toast('error', 'The photo must be at most 2 MB.');
      return;
    }
    const body = new FormData();
    body.append('photo', file);
    setUploading(true);
    try {
      onChange(await api.post('/api/auth/photo', { body }));
    } catch (error) {
      toast('error', messageOf(error, 'Failed to upload the photo.'));
    } finally {
      setUploading(false);
      // Choosing the same file again is a change again.
      event.target.value = '';
    }
  };
  return (
    <div className="photo">
      {profile.photoUrl == null ? (
        <span className="photo-initial" aria-hidden="true">
          {(profile.name ?? profile.email).charAt(0).toUpperCase()}
        </span>
      ) : (
        <img src={profile.photoUrl} alt="" width={72} height={72} />
      )}
      <label htmlFor={id}>{uploading ? 'Uploading...' : 'Change photo'}</label>
      <input
        id={id}
        className="visually-hidden"
        type="file"
        accept="image/png,image/jpeg,image/webp"
        disabled={uploading}
        onChange={(event) => void upload(event)}
      />
    </div>
  );
}
