/** The pages of the console. What is not in this list is in no navigation; a page comes into it when it is whole. */
import type { ComponentType } from 'react'
import type { pageWords } from './pages.words.ts'

export interface PageEntry {
  /** Part of ids and of the names of words. */
  name: keyof typeof pageWords.fa
  path: string
  group: 'main' | 'build' | 'account'
  /** What the role must have for the page to be of use, such as `keys:read`; undefined for pages of everybody. */
  needs?: string
  /** Loads the page's own chunk. */
  load(): Promise<{ default: ComponentType }>
  /** Pages that are reached from this one and stand in no navigation, such as `/keys/$id`. */
  below?: readonly { path: string; load(): Promise<{ default: ComponentType }> }[]
}

export const pages: readonly PageEntry[] = [
  { name: 'home', path: '/', group: 'main', load: () => import('../pages/home/home.tsx') },
  {
    name: 'keys',
    path: '/keys',
    group: 'build',
    needs: 'keys:read',
    load: () => import('../pages/keys/keys.tsx'),
    below: [
      { path: '/keys/new', load: () => import('../pages/keys/new-key.tsx') },
      { path: '/keys/$id', load: () => import('../pages/keys/one-key.tsx') },
    ],
  },
  {
    name: 'models',
    path: '/models',
    group: 'build',
    needs: 'models:read',
    load: () => import('../pages/models/models.tsx'),
  },
  {
    name: 'requests',
    path: '/requests',
    group: 'build',
    needs: 'usage:read',
    load: () => import('../pages/requests/requests.tsx'),
    below: [{ path: '/requests/$id', load: () => import('../pages/requests/one-request.tsx') }],
  },
  {
    name: 'usage',
    path: '/usage',
    group: 'build',
    needs: 'usage:read',
    load: () => import('../pages/usage/usage.tsx'),
  },
  {
    name: 'account',
    path: '/account',
    group: 'account',
    needs: 'account:read',
    load: () => import('../pages/account/account.tsx'),
  },
  {
    name: 'members',
    path: '/members',
    group: 'account',
    needs: 'members:read',
    load: () => import('../pages/members/members.tsx'),
    below: [{ path: '/members/$id', load: () => import('../pages/members/one-member.tsx') }],
  },
  {
    name: 'managementKeys',
    path: '/management-keys',
    group: 'account',
    needs: 'management_keys:read',
    load: () => import('../pages/management-keys/management-keys.tsx'),
    below: [
      {
        path: '/management-keys/new',
        load: () => import('../pages/management-keys/new-management-key.tsx'),
      },
      {
        path: '/management-keys/$id',
        load: () => import('../pages/management-keys/one-management-key.tsx'),
      },
    ],
  },
  {
    name: 'audit',
    path: '/audit',
    group: 'account',
    needs: 'audit:read',
    load: () => import('../pages/audit/audit.tsx'),
  },
  {
    name: 'profile',
    path: '/profile',
    group: 'account',
    load: () => import('../pages/profile/profile.tsx'),
  },
]

/** Whether the page at a path is of no use to somebody who is in no account: Home, and every page that needs a right. */
export const needsAccount = (path: string): boolean =>
  path === '/' ||
  pages.some((page) => page.needs !== undefined && (path === page.path || path.startsWith(`${page.path}/`)))
