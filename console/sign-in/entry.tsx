/** The light pages before a session: which of them is shown follows from the path. */
import type { ReactNode } from 'react'
import { startPage } from '../look/start.tsx'
import { LinkPage } from './link-page.tsx'
import { OpenidPage } from './openid-page.tsx'
import { RecoveryPage } from './recovery-page.tsx'
import { SignInPage } from './sign-in-page.tsx'
import { SignUpPage } from './sign-up-page.tsx'

const pages: Record<string, () => ReactNode> = {
  '/sign-in/openid': OpenidPage,
  '/sign-up': SignUpPage,
  '/invitation': LinkPage,
  '/link': LinkPage,
  '/recovery': RecoveryPage,
}

const Page = pages[location.pathname.replace(/\/$/, '')] ?? SignInPage

startPage(<Page />)
