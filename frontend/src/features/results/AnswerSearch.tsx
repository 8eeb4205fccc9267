import { SearchField } from '@/ui/SearchField';
import { useAddress } from '@/ui/titleAndAddress';
import { useSettled } from '@/ui/useSettled';

/** The words that the address has twins and answers searched for, once they have been typed. */
export function useAnswerSearch(): string {
  const [address] = useAddress();
  return useSettled((address.get('q') ?? '').trim());
}

/** Searches twins and answers by the address, and says how many are found. */
export function AnswerSearch({ found }: { found: string | undefined }) {
  const [address, change] = useAddress();
  return (
    <div className="matrix-search">
      <SearchField
        label="Search twins and answers"
        q={address.get('q') ?? ''}
        onChange={(q) => change({ q, page: null })}
      />
      {found !== undefined && (
        <p className="muted" role="status">
          {found}
        </p>
      )}
    </div>
  );
}
