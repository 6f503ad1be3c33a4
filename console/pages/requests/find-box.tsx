import { useQuery } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { isMissing } from '../../api/api-error.ts'
import { call } from '../../api/client.ts'
import { useAccount } from '../../api/use-account.ts'
import { LinkButton } from '../../pieces/button.tsx'
import { Form } from '../../pieces/form.tsx'
import { SearchField } from '../../pieces/search-field.tsx'
import { ErrorState, Notice } from '../../pieces/states.tsx'
import { type AddressChange, useAddress } from '../../shell/use-address.ts'
import { isolatedName } from '../../words/clean-name.ts'
import { useWords } from '../../words/use-words.ts'
import { noFilters } from './filters.ts'
import { cleanWanted, mayBeCallersId, mayBeIdempotencyKey, requestIdIn } from './find.ts'
import styles from './requests.module.css'
import { requestsWords } from './requests.words.ts'

type Kind = 'asIdempotency' | 'asCustomer' | 'asReference'

interface Found {
  kind: Kind
  /** Where the list, or the one call, of it is shown. */
  change: AddressChange
}

/** What a text is: the one call with this id, or else all that it may be of calls in this project or in all. */
async function find(text: string, project: string | undefined): Promise<{ open: string } | Found[]> {
  const id = requestIdIn(text)
  const report = id && (await call('GET /v1/requests/{id}', { params: { id } }).catch(nothing))
  if (report) return { open: report.id }
  const first = (query: { idempotency_key?: string; customer_id?: string; reference_id?: string }) =>
    call('GET /v1/requests', {
      query: { ...query, limit: 2, ...(project !== undefined && { project_id: project }) },
    })
  const isId = mayBeCallersId(text)
  const [same, customers, references] = await Promise.all([
    mayBeIdempotencyKey(text) ? first({ idempotency_key: text }) : undefined,
    isId ? first({ customer_id: text }) : undefined,
    isId ? first({ reference_id: text }) : undefined,
  ])
  const found: Found[] = []
  if (same?.data[0])
    found.push({
      kind: 'asIdempotency',
      change: { idempotency: text, open: same.data.length === 1 ? same.data[0].id : '' },
    })
  if (customers?.data[0]) found.push({ kind: 'asCustomer', change: { customer: text, open: '' } })
  if (references?.data[0]) found.push({ kind: 'asReference', change: { reference: text, open: '' } })
  return found
}

/** A missing thing is none; other refusals are failures. */
function nothing(error: unknown): undefined {
  if (isMissing(error)) return undefined
  throw error
}

/** One box for everything by which somebody knows a call. */
export function FindBox({ project }: { project: string | undefined }): ReactNode {
  const words = useWords(requestsWords)
  const address = useAddress()
  const wanted = address.read('find')
  const [text, setText] = useState(wanted)
  const [seen, setSeen] = useState(wanted)
  // Back and Forward change the address from outside.
  if (wanted !== seen) {
    setSeen(wanted)
    setText(wanted)
  }
  return (
    <>
      <Form
        className={styles['find']}
        onSubmit={(event) => {
          event.preventDefault()
          address.go({ find: cleanWanted(text) })
        }}
      >
        <SearchField label={words.search} placeholder={words.searchHint} value={text} onChange={setText} />
      </Form>
      {wanted !== '' && <Answer wanted={wanted} project={project} />}
    </>
  )
}

function Answer({ wanted, project }: { wanted: string; project: string | undefined }): ReactNode {
  const words = useWords(requestsWords)
  const address = useAddress()
  const { projectId } = useAccount()
  const found = useQuery({
    queryKey: ['find', projectId, project, wanted],
    queryFn: () => find(wanted, project),
    enabled: projectId !== undefined,
  })
  const only = found.data && oneOf(found.data, project)
  useEffect(() => {
    if (only) address.go({ ...noFilters, ...only, find: '' }, { isStep: false })
  })
  if (found.error) return <ErrorState error={found.error} onAgain={() => void found.refetch()} />
  if (!found.data || only) return <Notice>{words.searching}</Notice>
  const all = found.data as Found[]
  const isolated = isolatedName(wanted.length > 60 ? `${wanted.slice(0, 60)}…` : wanted)
  if (all.length === 0)
    return (
      <Notice kind="attention">
        <strong>{words.notFound(isolated)}</strong> {words.notFoundWhy}{' '}
        {project !== 'all' && (
          <LinkButton onClick={() => address.go({ project: 'all' })}>{words.everywhere}</LinkButton>
        )}
      </Notice>
    )
  return (
    <Notice>
      <div className={styles['found']}>
        <span>{words.foundMany(isolated)}</span>
        {all.map(({ kind, change }) => (
          <LinkButton
            key={kind}
            onClick={() => address.go({ ...noFilters, project: project ?? '', ...change, find: '' })}
          >
            {words[kind]}
          </LinkButton>
        ))}
      </div>
    </Notice>
  )
}

/** Where there is only one thing to show. */
function oneOf(found: { open: string } | Found[], project: string | undefined): AddressChange | undefined {
  if (!Array.isArray(found)) return { project: project ?? '', open: found.open }
  return found.length === 1 ? { project: project ?? '', ...found[0]!.change } : undefined
}
