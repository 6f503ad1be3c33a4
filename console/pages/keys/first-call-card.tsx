import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { modelsQuery } from '../../api/queries.ts'
import { useAccount } from '../../api/use-account.ts'
import { useAction } from '../../api/use-action.ts'
import { Badge } from '../../pieces/badge.tsx'
import { Button, LinkButton } from '../../pieces/button.tsx'
import { Card, Note } from '../../pieces/card.tsx'
import { CodeBlock } from '../../pieces/code-block.tsx'
import { ErrorState, Notice, Skeleton, useSentence } from '../../pieces/states.tsx'
import { formatMicrocredits, formatNumber } from '../../words/digits.ts'
import { directionOfText } from '../../words/direction.ts'
import { directionOf } from '../../words/locale.ts'
import { useLocale, useWords } from '../../words/use-words.ts'
import { type FirstCall, firstCallOf, mostMicrocredits, samplesOf } from './first-call.ts'
import { firstCallWords } from './first-call.words.ts'
import styles from './keys.module.css'
import { Receipt, useReceipt } from './receipt.tsx'
import type { Key } from './settings.ts'
import { type Tried, tryCall } from './try-call.ts'

interface FirstCallCardProps {
  of: Key
  secret: string
  onCopied(): void
}

/** The first call of a new key in several languages, and the same call made from here with its cost and receipt. */
export function FirstCallCard({ of, secret, onCopied }: FirstCallCardProps): ReactNode {
  const words = useWords(firstCallWords)
  const { projectId } = useAccount()
  const models = useQuery(modelsQuery(projectId))
  if (models.error && !models.data)
    return <ErrorState error={models.error} onAgain={() => void models.refetch()} />
  if (!models.data) return <Skeleton lines={6} onAgain={() => void models.refetch()} />
  const first = firstCallOf(of, models.data.data)
  const filled = { origin: location.origin, secret, message: words.greeting }
  return (
    <Card title={words.title} action={<a href="/docs">{words.reference}</a>}>
      {first.name !== 'chat' && (
        <Note>
          {first.name === 'models' ? words.noText : first.name === 'balance' ? words.noModels : words.nothing}
        </Note>
      )}
      {first.name !== 'none' && (
        <>
          <CodeBlock samples={samplesOf(first, filled)} label={words.languages} onCopied={onCopied} />
          <TryHere first={first} of={of} secret={secret} />
        </>
      )}
    </Card>
  )
}

function TryHere({ first, of, secret }: { first: FirstCall; of: Key; secret: string }): ReactNode {
  const words = useWords(firstCallWords)
  const locale = useLocale()
  const [tried, setTried] = useState<Tried>()
  const action = useAction(async () => {
    const number = (value: number): string => formatNumber(locale, value)
    setTried(undefined)
    setTried(
      await tryCall(first, {
        secret,
        message: words.greeting,
        words: {
          models: (count, names) => words.models(number(count), names),
          balance: (credits) => words.balance(number(credits)),
          unreadable: words.unreadable,
        },
      }),
    )
  })
  const sentence = useSentence(action.error)
  const isElsewhere = of.origins !== null && !of.origins.includes(location.origin)
  return (
    <>
      <div className={styles['try']}>
        <span>{isElsewhere ? words.otherPages : <Most first={first} />}</span>
        <Button isBusy={action.isBusy} disabled={isElsewhere} onClick={() => action.run()}>
          {tried ? words.again : words.tryHere}
        </Button>
      </div>
      {action.error !== undefined && <Notice kind="failure">{sentence}</Notice>}
      <div aria-live="polite">{tried && <Answer tried={tried} isPaid={first.name === 'chat'} />}</div>
    </>
  )
}

/** What the call can cost at most, rounded up to a hundredth of a credit. */
function Most({ first }: { first: FirstCall }): ReactNode {
  const words = useWords(firstCallWords)
  const locale = useLocale()
  if (first.name !== 'chat') return words.free
  const most = mostMicrocredits(first.model, words.greeting)
  return words.most(formatMicrocredits(locale, most, { most: 2 }))
}

function Answer({ tried, isPaid }: { tried: Tried; isPaid: boolean }): ReactNode {
  const words = useWords(firstCallWords)
  const locale = useLocale()
  const { status, seconds, microcredits = 0n, requestId, text } = tried
  const isGood = status < 400
  const number = (value: number, most: number): string => formatNumber(locale, value, { most })
  return (
    <div className={styles['answer']}>
      <div className={styles['said']}>
        <Badge kind={isGood ? 'good' : 'failure'}>
          {words.took(number(status, 0), number(seconds, seconds < 1 ? 2 : 1))}
        </Badge>
        <p dir={directionOfText(text, directionOf(locale))}>{text}</p>
      </div>
      {requestId !== undefined && (isGood ? isPaid : microcredits > 0n) ? (
        <Paid id={requestId} microcredits={microcredits} />
      ) : (
        <Note>{words.wasFree}</Note>
      )}
    </div>
  )
}

/** What the call cost, with its receipt to open. Once that is settled, what the console shows of the spending is read again. */
function Paid({ id, microcredits }: { id: string; microcredits: bigint }): ReactNode {
  const words = useWords(firstCallWords)
  const locale = useLocale()
  const queries = useQueryClient()
  const [isOpen, setOpen] = useState(false)
  const isSettled = useReceipt(id).data?.pending === false
  useEffect(() => {
    if (!isSettled) return
    for (const name of ['balance', 'usage', 'key', 'keys'])
      void queries.invalidateQueries({ queryKey: [name] })
  }, [isSettled, queries])
  return (
    <>
      <Note>
        {words.cost(formatMicrocredits(locale, microcredits))}
        {' · '}
        <LinkButton aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {isOpen ? words.hideReceipt : words.receipt}
        </LinkButton>
      </Note>
      {isOpen && (
        <>
          <Receipt id={id} />
          <Note>
            <Link to="/requests/$id" params={{ id }}>
              {words.why}
            </Link>
          </Note>
        </>
      )}
    </>
  )
}
