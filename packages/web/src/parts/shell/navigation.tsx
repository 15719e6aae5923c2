// The ways to the views, in the order of work: operate, engineer, administer. What somebody may not see is left out.
import { useSignal } from '@preact/signals';
import type { Permission } from '@telltale/schema';
import { useEffect } from 'preact/hooks';
import { base } from '../../base.ts';
import { overview } from '../../data/overview.ts';
import { may } from '../../data/session.ts';
import { place } from '../../router.ts';
import { type Words, words } from '../../words/words.ts';
import { keys } from '../keys.ts';

type Title = keyof Words['shell']['views'];

interface Way {
  readonly path: string;
  readonly title: Title;
  readonly permission: Permission;
}

export const ways: readonly { readonly title: 'operate' | 'engineer' | 'administer'; readonly ways: readonly Way[] }[] =
  [
    {
      title: 'operate',
      ways: [
        { path: '/', title: 'start', permission: 'view' },
        { path: '/sites', title: 'sites', permission: 'view' },
        { path: '/pictures', title: 'pictures', permission: 'view' },
        { path: '/alarms', title: 'alarms', permission: 'view' },
        { path: '/alarms/history', title: 'history', permission: 'view' },
        { path: '/points', title: 'points', permission: 'view' },
        { path: '/trends', title: 'trends', permission: 'view' },
        { path: '/forced', title: 'forced', permission: 'view' },
      ],
    },
    {
      title: 'engineer',
      ways: [
        { path: '/config', title: 'config', permission: 'read-config' },
        { path: '/config/changes', title: 'changes', permission: 'read-config' },
        { path: '/config/revisions', title: 'revisions', permission: 'read-config' },
        { path: '/connectors', title: 'connectors', permission: 'view' },
        { path: '/modules', title: 'modules', permission: 'view' },
      ],
    },
    {
      title: 'administer',
      ways: [
        { path: '/archive', title: 'archive', permission: 'view' },
        { path: '/audit', title: 'audit', permission: 'read-audit' },
        { path: '/access', title: 'access', permission: 'view' },
        { path: '/system', title: 'system', permission: 'view' },
      ],
    },
  ];

/** What somebody may see, and there is: sites are at a centre, and who may do what is decided where people sign in. */
export function isThere({ path, permission }: Way): boolean {
  if (path === '/sites') return base === '' && overview.value?.sites != null;
  if (path === '/access' && base !== '') return false;
  return may(permission);
}

export function Navigation() {
  const { shell } = words.value;
  const isOpen = useSignal(false);
  const { path } = place.value;
  useEffect(() => {
    isOpen.value = false;
  }, [path]);
  return (
    <>
      <button
        type="button"
        class="menu-button"
        aria-expanded={isOpen.value}
        aria-controls="navigation"
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        ☰ <span class="hidden-text">{shell.menu}</span>
      </button>
      <nav id="navigation" class={isOpen.value ? 'open' : ''} aria-label={shell.menu}>
        {ways.map((group) => {
          const seen = group.ways.filter(isThere);
          if (seen.length === 0) return null;
          return (
            <section key={group.title}>
              <h2>{shell[group.title]}</h2>
              <ul>
                {seen.map((way) => (
                  <li key={way.path}>
                    <a href={way.path} aria-current={isCurrent(way.path, path) ? 'page' : undefined}>
                      {shell.views[way.title]}
                    </a>
                  </li>
                ))}
              </ul>
            </section>
          );
        })}
        <p class="nav-keys">
          <KeyButton name="Ctrl+k" text={shell.goTo} />
          <KeyButton name="?" text={shell.keys.title} />
        </p>
        <a class="outside" href="/docs/">
          {shell.views.reference}
        </a>
      </nav>
    </>
  );
}

/** Does what the key does, and says that there is one. */
function KeyButton({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <button
      type="button"
      class="plain"
      onClick={() =>
        keys
          .peek()
          .find(({ key }) => key === name)
          ?.run()
      }
    >
      {text} <kbd>{name.replace('k', 'K')}</kbd>
    </button>
  );
}

/** The way that leads nearest to the present path. */
function isCurrent(way: string, path: string): boolean {
  if (way === path) return true;
  if (way === '/' || !path.startsWith(`${way}/`)) return false;
  return !ways.some((group) =>
    group.ways.some((other) => other.path.length > way.length && path.startsWith(other.path)),
  );
}
