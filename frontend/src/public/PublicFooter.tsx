import { Link } from 'react-router';
import { paths } from '@/paths';
import { mailto } from './contact';
import { Logo } from '@/shell/Logo';
import './PublicFooter.css';

export function PublicFooter() {
  return (
    <footer className="public-footer muted small">
      <div className="public-footer-inner row gap-5 between">
        <div>
          <Logo />
          <p>© {new Date().getFullYear()} Digital Twin Lab. Non-profit, for research and education.</p>
        </div>
        <nav aria-label="Footer">
          <Link to={paths.about}>About</Link>
          <Link to={paths.collaboration}>Collaboration</Link>
          <Link to={paths.terms}>Terms</Link>
          <Link to={paths.privacy}>Privacy</Link>
          <a href={mailto()}>Contact</a>
        </nav>
      </div>
    </footer>
  );
}
