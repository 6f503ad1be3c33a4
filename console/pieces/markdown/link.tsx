/** Links of a model: those that are known are links, others ask before they open. */
import { createContext, type ReactNode, useContext, useState } from 'react'
import { useWords } from '../../words/use-words.ts'
import { Button, buttonClass } from '../button.tsx'
import { Dialog, DialogActions } from '../dialog.tsx'
import { pieceWords } from '../pieces.words.ts'
import { type Address, comparableAddress, readAddress, withoutTail } from './address.ts'
import styles from './markdown.module.css'
import { markdownWords } from './markdown.words.ts'

/** The addresses that may open without a question, in their comparable form. */
export const KnownAddresses = createContext<ReadonlySet<string>>(new Set())

/** Within a link a picture is a text: the link is what opens. */
const WithinLink = createContext(false)

export const comparableAddresses = (addresses: readonly string[]): ReadonlySet<string> =>
  new Set(addresses.flatMap((one) => comparableAddress(one) ?? []))

/** A link of a model. `text` is what it shows, where that is nothing but a text. */
export function Link({ url, text, children }: { url: string; text: string; children: ReactNode }): ReactNode {
  const isBare = text === url || `http://${text}` === url
  const target = isBare ? withoutTail(url) : url
  const tail = isBare ? text.slice(withoutTail(text).length) : ''
  const address = readAddress(target, window.location.origin)
  if (!address) return children
  return (
    <>
      <AddressLink address={address}>
        {isBare ? <bdi dir="ltr">{withoutTail(text)}</bdi> : children}
      </AddressLink>
      {tail}
    </>
  )
}

/** A picture of a model: it is never loaded; that of another origin is a link that shows its host. */
export function Picture({ url, alt }: { url: string; alt: string }): ReactNode {
  const words = useWords(markdownWords)
  const isWithinLink = useContext(WithinLink)
  const address = readAddress(url, window.location.origin)
  if (!address || (isWithinLink && alt !== '')) return <bdi>{alt}</bdi>
  if (isWithinLink) return words.picture(address.host)
  return (
    <AddressLink address={address}>
      {alt !== '' && (
        <>
          <bdi>{alt}</bdi>{' '}
        </>
      )}
      ({words.picture(address.host)})
    </AddressLink>
  )
}

const AddressLink = ({ address, children }: { address: Address; children: ReactNode }): ReactNode => (
  <LinkOrQuestion address={address}>
    <WithinLink value>{children}</WithinLink>
  </LinkOrQuestion>
)

function LinkOrQuestion({ address, children }: { address: Address; children: ReactNode }): ReactNode {
  const isKnown = useContext(KnownAddresses).has(address.href)
  const [isAsking, setAsking] = useState(false)
  if (isKnown)
    return (
      <a className={styles['link']} href={address.href} target="_blank" rel="noopener noreferrer">
        {children}
      </a>
    )
  // A button and no link: a click with the middle button would open a link without the question.
  return (
    <>
      <button type="button" className={styles['link']} title={address.host} onClick={() => setAsking(true)}>
        {children}
      </button>
      {isAsking && <LeaveDialog address={address} onClose={() => setAsking(false)} />}
    </>
  )
}

function LeaveDialog({ address, onClose }: { address: Address; onClose(): void }): ReactNode {
  const words = useWords(markdownWords)
  const pieces = useWords(pieceWords)
  const { href, before, host, after, name, readable } = address
  return (
    <Dialog title={words.leave} isOpen onClose={onClose}>
      <p>{words.leaveWhy}</p>
      <dl className={styles['address']}>
        <dt>{words.host}</dt>
        <dd>
          <code className={styles['host']}>{host}</code>
          {name !== undefined && <bdi>{name}</bdi>}
        </dd>
        <dt>{words.address}</dt>
        <dd>
          <code>
            {before}
            <strong>{host}</strong>
            {after}
          </code>
        </dd>
        {readable !== undefined && (
          <>
            <dt>{words.readable}</dt>
            <dd>
              <bdi dir="ltr">{readable}</bdi>
            </dd>
          </>
        )}
      </dl>
      <DialogActions>
        <Button onClick={onClose}>{pieces.cancel}</Button>
        <a
          className={buttonClass('primary')}
          href={href}
          target="_blank"
          rel="noopener noreferrer"
          onClick={onClose}
        >
          {words.open}
        </a>
      </DialogActions>
    </Dialog>
  )
}
