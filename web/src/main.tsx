import { render } from 'preact';
import './design/tokens.css';
import './design/base.css';
import './design/parts.css';
import './design/shell.css';
import { openSession } from './api/session.ts';
import { App } from './app.tsx';
import { applyTheme } from './design/theme.ts';
import { language } from './text/text.ts';

applyTheme();
document.documentElement.lang = language;
const state = await openSession().catch(() => 'closed' as const);
render(<App initial={state} />, document.getElementById('app')!);
