/** The page /link: says what a link is for, asks for what it needs, and redeems it once. */
import { type ReactNode, useEffect, useState } from 'react'
import { ApiError } from '../api/api-error.ts'
import { call, type Reply } from '../api/client.ts'
import { chooseProject } from '../api/project.ts'
import { mayBeSignedIn } from '../api/session-hint.ts'
import { useAction } from '../api/use-action.ts'
import { Button, buttonClass } from '../pieces/button.tsx'
import { ErrorState, Notice, Skeleton, useSentence } from '../pieces/states.tsx'
import { cleanName } from '../words/clean-name.ts'
import { Ltr } from '../words/personal.tsx'
import { useWords } from '../words/use-words.ts'
import { Failure } from './failure.tsx'
import { linkWords } from './link.words.ts'
import { NewPersonForm } from './new-person-form.tsx'
import { Panel, waysClass } from './panel.tsx'
import { NewPasswordForm } from './recovery-page.tsx'
import { tokenOfPage } from './token.ts'

export type Link = Reply<'POST /v1/links/read'>
type Me = Reply<'GET /v1/me'>

interface Opened {
  link: Link
  /** The person of this browser's session; undefined where nobody has signed in. */
  me: Me | undefined
}

async function open(token: string): Promise<Opened> {
  const [link, me] = await Promise.all([
    call('POST /v1/links/read', { body: { token } }),
    mayBeSignedIn() ? readMe() : undefined,
  ])
  return { link, me }
}

async function readMe(): Promise<Me | undefined> {
  try {
    return await call('GET /v1/me')
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined
    throw error
  }
}

export function LinkPage(): ReactNode {
  const words = useWords(linkWords)
  const [token] = useState(() => tokenOfPage(location.hash))
  const [opened, setOpened] = useState<Opened>()
  const [error, setError] = useState<unknown>()
  const [round, setRound] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the round reads the link anew.
  useEffect(() => {
    if (token === undefined) return
    setError(undefined)
    open(token).then(setOpened).catch(setError)
  }, [token, round])
  const again = (): void => setRound(round + 1)
  if (token === undefined) return <Panel title={words.missing} lead={words.missingWhy} />
  if (error instanceof ApiError && error.status === 404) return <Ended error={error} />
  if (error !== undefined)
    return (
      <Panel title={words.title}>
        <ErrorState error={error} onAgain={again} />
      </Panel>
    )
  if (!opened)
    return (
      <Panel title={words.title}>
        <Skeleton lines={3} onAgain={again} />
      </Panel>
    )
  return (
    <Panel title={words.purposes[opened.link.purpose]} lead={<Lead link={opened.link} />}>
      <Redeeming token={token} {...opened} />
    </Panel>
  )
}

function Ended({ error }: { error: ApiError }): ReactNode {
  const words = useWords(linkWords)
  const sentence = useSentence(error)
  return (
    <Panel title={words.ended} lead={sentence}>
      <a className={buttonClass('plain', true)} href="/">
        {words.toHome}
      </a>
    </Panel>
  )
}

function Lead({ link: { purpose, email_masked: email, invitation } }: { link: Link }): ReactNode {
  const words = useWords(linkWords)
  const isolated = (name: string): string => `\u2068${cleanName(name)}\u2069`
  const role = invitation && (words.roles as Record<string, string>)[invitation.role]
  return (
    <>
      {invitation && role !== undefined
        ? invitation.inviter_name === null
          ? words.invitedByOperator(isolated(invitation.account_name), role)
          : words.invited(isolated(invitation.inviter_name), isolated(invitation.account_name), role)
        : purpose !== 'invitation' && words.leads[purpose]}
      {email !== null && (
        <>
          <br />
          {words.forAddress} <Ltr>{email}</Ltr>
        </>
      )}
    </>
  )
}

function Redeeming({ token, link, me }: Opened & { token: string }): ReactNode {
  const { needs } = link
  if (needs === 'password')
    return (
      <NewPasswordForm onSave={(password) => call('POST /v1/links/redeem', { body: { token, password } })} />
    )
  if (needs === 'session' || me) return me ? <Accept token={token} me={me} /> : <SignInFirst token={token} />
  if (needs === 'nothing') return <Accept token={token} me={undefined} />
  return <NewPersonForm token={token} hasAddress={needs === 'named_person'} />
}

const readAccounts = async () => (await call('GET /v1/me/accounts')).data

/** Accepts, and goes on in the account into which an invitation leads, not in the one that was chosen before. */
async function join(token: string): Promise<void> {
  const before = (await readAccounts()).map(({ id }) => id)
  await call('POST /v1/links/redeem', { body: { token } })
  const joined = (await readAccounts()).find(({ id }) => !before.includes(id))
  if (joined) chooseProject(joined.projects[0]?.id)
}

/** Somebody who has signed in accepts with one button; a link that changes back what a stranger may have done needs nobody to be signed in. */
function Accept({ token, me }: { token: string; me: Me | undefined }): ReactNode {
  const words = useWords(linkWords)
  const [isDone, setDone] = useState(false)
  const accept = useAction(async () => {
    if (me) await join(token)
    else await call('POST /v1/links/redeem', { body: { token } })
    if (me) return location.replace('/')
    setDone(true)
  })
  if (isDone) return <Notice kind="good">{words.done}</Notice>
  return (
    <div className={waysClass}>
      <Failure error={accept.error} />
      <Button kind="primary" isWide isBusy={accept.isBusy} onClick={() => accept.run()}>
        {me ? words.acceptAs(`\u2068${cleanName(me.display_name)}\u2069`) : words.confirm}
      </Button>
      {me && (
        <a className={buttonClass('quiet', true)} href={signInAddress(token)}>
          {words.otherPerson}
        </a>
      )}
    </div>
  )
}

/** The page of sign-in that leads back to this link. The token is in a fragment there, too. */
const signInAddress = (token: string): string => `/sign-in?return_to=%2Flink#${token}`

function SignInFirst({ token }: { token: string }): ReactNode {
  const words = useWords(linkWords)
  return (
    <div className={waysClass}>
      <a className={buttonClass('primary', true)} href={`/sign-up#${token}`}>
        {words.toSignUp}
      </a>
      <a className={buttonClass('plain', true)} href={signInAddress(token)}>
        {words.toSignIn}
      </a>
    </div>
  )
}
