/** A new management key: what it may do, what its keys may do, until when and from where; nothing but its name can be changed later. */
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { refusalOf, useAction } from '../../api/use-action.ts'
import { useIntent } from '../../api/use-intent.ts'
import { Button, buttonClass } from '../../pieces/button.tsx'
import { Card } from '../../pieces/card.tsx'
import { CheckList } from '../../pieces/check-list.tsx'
import { Choices } from '../../pieces/choices.tsx'
import { DateField } from '../../pieces/date-field.tsx'
import { TextArea, TextField } from '../../pieces/field.tsx'
import { Form } from '../../pieces/form.tsx'
import { EmptyState, Notice, useSentence } from '../../pieces/states.tsx'
import { PageHead } from '../../shell/frame.tsx'
import { dayInTehran } from '../../words/tehran-days.ts'
import { useWords } from '../../words/use-words.ts'
import { keepSecret } from '../keys/fresh-secret.ts'
import { useDayInWords } from '../keys/key-words.tsx'
import styles from '../keys/keys.module.css'
import { scopeGroups } from '../keys/scope-groups.ts'
import { scopeWords } from '../keys/scopes.words.ts'
import { Closed } from './closed.tsx'
import {
  bodyOf,
  type Draft,
  type EndChoice,
  emptyDraft,
  endDayOf,
  givesScopes,
  refusedAddress,
} from './draft.ts'
import { managementWords } from './management-keys.words.ts'
import { noteManagementKey } from './queries.ts'
import { rightGroups } from './rights.ts'
import { rightWords } from './rights.words.ts'

export default function NewManagementKey(): ReactNode {
  const words = useWords(managementWords)
  const { account, may } = useAccount()
  if (!account) return null
  if (!may('management_keys:write') || account.is_limited)
    return (
      <EmptyState
        isPage
        title={words.mayNot}
        action={
          <Link to="/" className={buttonClass('plain')}>
            {words.back}
          </Link>
        }
      >
        {words.mayNotWhy}
      </EmptyState>
    )
  return (
    <>
      <PageHead title={words.newTitle} lead={words.newLead} />
      <NewManagementKeyForm />
    </>
  )
}

interface PartProps {
  draft: Draft
  onChange(change: Partial<Draft>): void
  /** True once the person has tried to send what is not whole. */
  isTried: boolean
  /** Why the API refused it the last time. */
  error: unknown
}

function NewManagementKeyForm(): ReactNode {
  const words = useWords(managementWords)
  const navigate = useNavigate()
  const queries = useQueryClient()
  const { projectId } = useAccount()
  const idOf = useIntent()
  const [draft, setDraft] = useState(emptyDraft)
  const [isTried, setTried] = useState(false)
  const action = useAction(async (body: NonNullable<ReturnType<typeof bodyOf>>) => {
    const { secret, ...key } = await call('POST /v1/management-keys', { body, idempotencyKey: idOf(body) })
    keepSecret(key.id, secret)
    noteManagementKey(queries, projectId, key)
    await navigate({ to: '/management-keys/$id', params: { id: key.id }, replace: true })
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setTried(true)
    const body = bodyOf(draft, new Date())
    if (body) action.run(body)
  }
  const change = (more: Partial<Draft>): void => {
    action.clear()
    setDraft({ ...draft, ...more })
  }
  const part = { draft, onChange: change, isTried, error: action.error }
  return (
    <Form className={styles['form']} onSubmit={submit}>
      <Card title={words.what}>
        <What {...part} />
      </Card>
      <Card title={words.bounds}>
        <Bounds {...part} />
      </Card>
      <Closed />
      <Failure error={action.error} />
      <div className={styles['foot']}>
        <p>{words.withMaker}</p>
        <span className={styles['pages']}>
          <Link to="/management-keys" className={buttonClass('plain')}>
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

function What({ draft, onChange, isTried, error }: PartProps): ReactNode {
  const words = useWords(managementWords)
  const { groups, rights } = useWords(rightWords)
  return (
    <>
      <TextField
        label={words.name}
        hint={words.nameHint}
        error={isTried && draft.name.trim() === '' ? words.needName : refusalOf(error, 'name')}
        dir="auto"
        autoComplete="off"
        maxLength={120}
        value={draft.name}
        onChange={(name) => onChange({ name })}
      />
      <CheckList
        label={words.rights}
        error={isTried && draft.rights.length === 0 ? words.needRights : refusalOf(error, 'permissions')}
        chosen={draft.rights}
        onChange={(chosen) => onChange({ rights: chosen })}
        groups={rightGroups.map(({ name, rights: names }) => ({
          title: groups[name],
          items: names.map((right) => ({ value: right, label: rights[right].long, note: right })),
        }))}
      />
      {givesScopes(draft) && <Scopes draft={draft} onChange={onChange} error={error} />}
    </>
  )
}

function Scopes({ draft, onChange, error }: Omit<PartProps, 'isTried'>): ReactNode {
  const words = useWords(managementWords)
  const { groups, scopes: sentences } = useWords(scopeWords)
  const { account } = useAccount()
  const rights = account?.rights ?? []
  return (
    <CheckList
      label={words.scopes}
      hint={words.scopesHint}
      error={refusalOf(error, 'key_scopes')}
      chosen={draft.scopes}
      onChange={(scopes) => onChange({ scopes })}
      groups={scopeGroups
        .map(({ name, scopes }) => ({
          title: groups[name],
          items: scopes
            .filter((scope) => rights.includes(scope))
            .map((scope) => ({ value: scope, label: sentences[scope].long, note: scope })),
        }))
        .filter(({ items }) => items.length > 0)}
    />
  )
}

const addressExample = '203.0.113.0/24'

const endChoices: readonly EndChoice[] = ['30', '90', '365', 'day']

function Bounds({ draft, onChange, isTried, error }: PartProps): ReactNode {
  const words = useWords(managementWords)
  const inWords = useDayInWords()
  const day = endDayOf(draft, new Date())
  const refusal = refusalOf(error, 'expires_at')
  const refused = error instanceof ApiError ? refusedAddress(error.param, draft) : undefined
  return (
    <>
      <Choices
        label={words.end}
        hasLabel
        choices={endChoices.map((value) => ({ value, label: words.ends[value] }))}
        value={draft.end}
        onChoose={(end) => onChange({ end })}
        note={day !== undefined && words.endsAt(inWords(day))}
        error={draft.end === 'day' ? undefined : refusal}
      />
      {draft.end === 'day' && (
        <DateField
          label={words.day}
          hint={words.dayHint}
          error={isTried && day === undefined ? words.needDay : refusal}
          earliest={dayInTehran(new Date())}
          value={draft.endDay}
          onChange={(endDay) => onChange({ endDay })}
        />
      )}
      <TextArea
        label={words.addresses}
        hint={words.addressesHint}
        error={refused === '' ? words.badAddresses : refused && words.badAddress(refused)}
        rows={3}
        spellCheck={false}
        placeholder={addressExample}
        value={draft.addresses}
        onChange={(addresses) => onChange({ addresses })}
      />
    </>
  )
}

const shownByFields = ['name', 'permissions', 'key_scopes', 'expires_at', 'addresses']

/** A refusal that no field shows. */
function Failure({ error }: { error: unknown }): ReactNode {
  const sentence = useSentence(error)
  const isOfField = error instanceof ApiError && shownByFields.includes(error.param?.split('.')[0] ?? '')
  return error !== undefined && !isOfField && <Notice kind="failure">{sentence}</Notice>
}
