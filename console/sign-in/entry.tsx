/** The light pages before a session: which of them is shown follows from the path. */
import type { ReactNode } from 'react'
import { startPage } from '../look/start.tsx'
import { LinkPage } from './link-page.tsx'
import { OpenidPage } from './openid-page.tsx'
import { RecoveryPage } from './recovery-page.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { SignUpPage } from './sign-up-page.tsx'

const pages: Record<string, () => ReactNode> = {
  '/sign-up': SignUpPage,
  '/invitation': LinkPage,
  '/link': LinkPage,
  '/recovery': RecoveryPage,
}

/** Each provider of OpenID Connect leads back to a path of its own. */
const Page = location.pathname.startsWith('/sign-in/openid/')
  ? OpenidPage
  : (pages[location.pathname.replace(/\/$/, '')] ?? SignInPage)

startPage(<Page />)

// A link that is pasted into a tab at the same path changes the fragment alone, and the browser does not load the page again.
addEventListener('hashchange', () => location.reload())
