/** A new key: what it may do, what it may spend and until when, with a sentence beside the button that says what will be made. */
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { useAction } from '../../api/use-action.ts'
import { useIntent } from '../../api/use-intent.ts'
import { Button, buttonClass } from '../../pieces/button.tsx'
import { Card, Grid, Note } from '../../pieces/card.tsx'
import { Form } from '../../pieces/form.tsx'
import { EmptyState, Notice, useSentence } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { cleanName } from '../../words/clean-name.ts'
import { formatNumber, readNumber } from '../../words/digits.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { keepSecret } from './fresh-secret.ts'
import { useDayInWords, useScopesInWords } from './key-words.tsx'
import styles from './keys.module.css'
import { newKeyWords } from './new-key.words.ts'
import { PartField } from './part-field.tsx'
import { noteKey } from './queries.ts'
import { presets } from './scope-groups.ts'
import { allowedOf } from './scopes.ts'
import { bodyOf, type Draft, emptyDraft, endOf, type Part, parts } from './settings.ts'
import { useDraft } from './use-draft.ts'

const rest: readonly Part[] = [
  'models',
  'rate_per_minute',
  'concurrency',
  'origins',
  'keep_days',
  'responses_max_output_tokens',
]

export default function NewKey(): ReactNode {
  const words = useWords(newKeyWords)
  const { account, projectId, may } = useAccount()
  if (!account) return null
  if (!may('keys:write'))
    return (
      <EmptyState
        isPage
        title={words.mayNot}
        action={
          <Link to="/keys" className={buttonClass('plain')}>
            {words.toKeys}
          </Link>
        }
      >
        {words.mayNotWhy}
      </EmptyState>
    )
  const name = account.projects.find(({ id }) => id === projectId)?.name ?? ''
  return (
    <>
      <PageHead title={words.title} lead={words.lead(`\u2068${cleanName(name)}\u2069`)} />
      {/* Another project is another form: what its role may give is another. */}
      <NewKeyForm key={projectId} projectId={projectId} rights={account.rights} />
    </>
  )
}

interface FormProps {
  projectId: string | undefined
  rights: readonly string[]
}

function NewKeyForm({ projectId, rights }: FormProps): ReactNode {
  const words = useWords(newKeyWords)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const idOf = useIntent()
  const [isOpen, setOpen] = useState(false)
  const form = useDraft({ ...emptyDraft, scopes: allowedOf(presets.text, rights) }, parts)
  const action = useAction(async () => {
    const body = bodyOf(form.draft, new Date())
    const { secret, ...key } = await call('POST /v1/keys', { body, idempotencyKey: idOf(body) })
    keepSecret(key.id, secret)
    noteKey(queries, projectId, key)
    await navigate({ to: '/keys/$id', params: { id: key.id }, replace: true })
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (form.check()) action.run()
    else if (rest.some((part) => form.errorOf(part, undefined) !== undefined)) setOpen(true)
  }
  const field = (part: Part): ReactNode => (
    <PartField
      key={part}
      part={part}
      draft={form.draft}
      error={form.errorOf(part, action.error)}
      onChange={form.onChange}
    />
  )
  const isOfRest = rest.some((part) => form.errorOf(part, action.error) !== undefined)
  return (
    <Form className={styles['form']} onSubmit={submit}>
      <Card title={words.what}>
        {field('name')}
        {field('scopes')}
      </Card>
      <Card title={words.bounds}>
        <Grid columns="two">
          {field('month_cap_credits')}
          {field('cap_credits')}
        </Grid>
        {field('expires_at')}
      </Card>
      <Card
        title={words.more}
        action={
          <Button kind="quiet" aria-expanded={isOpen || isOfRest} onClick={() => setOpen(!isOpen)}>
            {isOpen || isOfRest ? words.close : words.open}
          </Button>
        }
      >
        {isOpen || isOfRest ? (
          <>
            {field('models')}
            <Grid columns="two">
              {(['rate_per_minute', 'concurrency', 'keep_days', 'responses_max_output_tokens'] as const).map(
                field,
              )}
            </Grid>
            {field('origins')}
          </>
        ) : (
          <Note>{words.moreWhy}</Note>
        )}
      </Card>
      <Failure error={action.error} />
      <div className={styles['foot']}>
        <p>
          <WillBe draft={form.draft} />
        </p>
        <span className={styles['pages']}>
          <Link to="/keys" className={buttonClass('plain')}>
            {words.back}
          </Link>
          <Button kind="primary" type="submit" isBusy={action.isBusy}>
            {words.submit}
          </Button>
        </span>
      </div>
    </Form>
  )
}

/** A refusal that no field shows. */
function Failure({ error }: { error: unknown }): ReactNode {
  const sentence = useSentence(error)
  const isOfField =
    error instanceof ApiError && parts.some((part) => error.param?.split('.').includes(part) === true)
  return error !== undefined && !isOfField && <Notice kind="failure">{sentence}</Notice>
}

/** What the button will make, in a sentence that follows the form. */
function WillBe({ draft }: { draft: Draft }): ReactNode {
  const words = useWords(newKeyWords)
  const locale = useLocale()
  const dayInWords = useDayInWords()
  const scopesInWords = useScopesInWords()
  const amountOf = (typed: string): string | undefined => {
    const decimal = readNumber(typed)
    return decimal === undefined ? undefined : formatNumber(locale, Number(decimal))
  }
  const [month, total] = [amountOf(draft.month_cap_credits), amountOf(draft.cap_credits)]
  const day = endOf(draft, new Date())
  const name = cleanName(draft.name.trim())
  return words.willBe(
    name === '' ? words.nameless : `«\u2068${name}\u2069»`,
    scopesInWords(draft.scopes),
    month !== undefined && total !== undefined
      ? words.both(month, total)
      : month !== undefined
        ? words.month(month)
        : total !== undefined
          ? words.total(total)
          : words.noCap,
    day === undefined ? words.noDay : day === null ? words.never : words.until(dayInWords(day)),
  )
}
