import { Dialog } from '@/ui/Dialog';
import { chordText, keys } from '@/ui/keys';
import './KeyList.css';

const bindings = Object.values(keys);
const areas = [...new Set(bindings.map(({ area }) => area))];

/** Every key of the product, by where it works. */
export default function KeyList({ onClose }: { onClose: () => void }) {
  return (
    <Dialog title="Keyboard" size="xl" onClose={onClose}>
      <div className="key-list">
        {areas.map((area) => (
          <section key={area} aria-label={area}>
            <h3>{area}</h3>
            <dl>
              {bindings
                .filter((binding) => binding.area === area)
                .map(({ what, chords }) => (
                  <div key={what}>
                    <dt>{what}</dt>
                    <dd>
                      {chords.map((chord) => (
                        <kbd key={chord}>{chordText(chord)}</kbd>
                      ))}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </Dialog>
  );
}
