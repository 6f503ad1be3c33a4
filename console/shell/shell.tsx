/** What stands around every page: who is signed in, the project, the navigation, the palette, and the dialogs that calls wait for. */
import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, useRouter, useRouterState } from '@tanstack/react-router'
import { lazy, type ReactNode, Suspense, useEffect, useState, useSyncExternalStore } from 'react'
import { ApiError } from '../api/api-error.ts'
import { call, type Reply } from '../api/client.ts'
import { leaveSession } from '../api/leave.ts'
import { chooseProject, project, subscribeProject } from '../api/project.ts'
import { accountsQuery, balanceQuery, type MyAccount, meQuery } from '../api/queries.ts'
import { mayBeLeaving, mayBeSignedIn, noteLeaving, noteSignedOut } from '../api/session-hint.ts'
import { ErrorState, Skeleton } from '../pieces/states.tsx'
import { endToasts } from '../pieces/toasts.ts'
import { formatNumber } from '../words/digits.ts'
import { useLocale, useWords } from '../words/use-words.ts'
import { AskingDialogs } from './asking.tsx'
import { ClosingNotice } from './closing-notice.tsx'
import { Frame, type NavGroup } from './frame.tsx'
import { LeavingPage } from './leaving-page.tsx'
import { NoAccount } from './no-account.tsx'
import { needsAccount, pages } from './pages.ts'
import { pageWords } from './pages.words.ts'
import { PersonMenu } from './person-menu.tsx'
import { ProjectSwitcher } from './project-switcher.tsx'
import { shellWords } from './shell.words.ts'
import { useShortcut } from './use-shortcut.ts'

const Palette = lazy(() => import('./palette.tsx'))

export function Shell(): ReactNode {
  const me = useQuery({ ...meQuery, enabled: mayBeSignedIn() })
  const isLeaving = me.data ? me.data.deletion !== null : mayBeLeaving()
  const accounts = useQuery({ ...accountsQuery, enabled: mayBeSignedIn() && !isLeaving })
  const error = me.error ?? accounts.error
  const isStranger = !mayBeSignedIn() || (error instanceof ApiError && error.code === 'NOT_SIGNED_IN')
  useEffect(() => {
    if (isStranger) goToSignIn()
  }, [isStranger])
  useEffect(() => {
    if (me.data) noteLeaving(isLeaving)
  }, [me.data, isLeaving])
  const again = (): void => {
    void me.refetch()
    void accounts.refetch()
  }
  if (isStranger) return null
  if (me.data?.deletion)
    return <LeavingPage me={me.data} dueAt={me.data.deletion.due_at} onSignOut={() => void signOut()} />
  if (!me.data || !accounts.data)
    return (
      <main>
        {error ? <ErrorState error={error} onAgain={again} /> : <Skeleton lines={8} onAgain={again} />}
      </main>
    )
  return <SignedIn me={me.data} accounts={accounts.data.data} />
}

/** Leaves for the light pages, which lead back to this address. */
function goToSignIn(): void {
  noteSignedOut()
  const here = location.pathname + location.search
  location.replace(here === '/' ? '/sign-in' : `/sign-in?${new URLSearchParams({ return_to: here })}`)
}

interface SignedInProps {
  me: Reply<'GET /v1/me'>
  accounts: readonly MyAccount[]
}

function SignedIn({ me, accounts }: SignedInProps): ReactNode {
  const words = useWords(shellWords)
  const locale = useLocale()
  const router = useRouter()
  const path = useRouterState({ select: ({ location: { pathname } }) => pathname })
  const [hasPalette, setPalette] = useState(false)
  const { account, projectId } = useChosenProject(accounts)
  const balance = useQuery(balanceQuery(projectId))
  const { choose } = useProjectChoice()
  useShortcut('k', () => setPalette(true))
  const go = (to: string): void => void router.navigate({ to })
  const groups = useGroups(account)
  return (
    <>
      <Frame
        groups={groups}
        path={path}
        onGo={go}
        credit={balance.data && formatNumber(locale, balance.data.balance_credits)}
        onPalette={() => setPalette(true)}
        switcher={
          <ProjectSwitcher
            places={accounts.map(({ id, name, projects }) => ({
              accountId: id,
              accountName: name,
              projects: projects.map((one) => ({ projectId: one.id, name: one.name })),
            }))}
            projectId={projectId}
            onChoose={choose}
          />
        }
        person={
          <PersonMenu
            name={me.display_name}
            role={account ? words.roles[account.role] : me.is_operator ? words.operator : words.you}
            onGo={go}
            onSignOut={() => void signOut()}
          />
        }
      >
        {account?.state === 'closing' && <ClosingNotice account={account} projectId={projectId} />}
        {account || !needsAccount(path) ? <Outlet /> : <NoAccount me={me} />}
      </Frame>
      {hasPalette && (
        <Suspense>
          <Palette commands={commandsOf(groups, go)} onClose={() => setPalette(false)} />
        </Suspense>
      )}
      <AskingDialogs />
    </>
  )
}

async function signOut(): Promise<void> {
  endToasts()
  await call('POST /v1/sign-out')
  leaveSession()
}

/** The project of the pages: the chosen one, or the first where nothing is chosen or the chosen one is gone. */
function useChosenProject(accounts: readonly MyAccount[]): {
  account: MyAccount | undefined
  projectId: string | undefined
} {
  const chosen = useSyncExternalStore(subscribeProject, project)
  const has = (id: string | undefined) =>
    accounts.find(({ projects }) => projects.some((one) => one.id === id))
  const account = has(chosen) ?? accounts.find(({ projects }) => projects.length > 0) ?? accounts[0]
  const projectId = has(chosen) ? chosen : account?.projects[0]?.id
  if (projectId !== chosen) chooseProject(projectId)
  return { account, projectId }
}

/**
 * Choosing another project: what could still be undone of the former one is carried out there, and what was read of it is forgotten, save who one is.
 */
function useProjectChoice(): { choose(projectId: string): void } {
  const queries = useQueryClient()
  return {
    choose: (projectId) => {
      endToasts()
      chooseProject(projectId)
      queries.removeQueries({ predicate: ({ queryKey: [name] }) => name !== 'me' && name !== 'accounts' })
      void queries.invalidateQueries()
    },
  }
}

function useGroups(account: MyAccount | undefined): NavGroup[] {
  const words = useWords(shellWords)
  const titles = useWords(pageWords)
  const visible = pages.filter(({ needs }) => needs === undefined || account?.rights.includes(needs))
  return (['main', 'build', 'account'] as const)
    .map((name) => ({
      name,
      title: name === 'main' ? undefined : words.groups[name],
      links: visible
        .filter(({ group }) => group === name)
        .map((page) => ({ path: page.path, title: titles[page.name] })),
    }))
    .filter(({ links }) => links.length > 0)
}

/** Every page is found by its name in both languages. */
const commandsOf = (groups: readonly NavGroup[], go: (path: string) => void) =>
  groups.flatMap(({ title, links }) =>
    links.map((link) => {
      const name = pages.find(({ path }) => path === link.path)?.name
      return {
        name: link.path.replace(/\W/g, '-'),
        title: link.title,
        ...(title !== undefined && { note: title }),
        ...(name && { also: `${pageWords.fa[name]} ${pageWords.en[name]}` }),
        run: () => go(link.path),
      }
    }),
  )
