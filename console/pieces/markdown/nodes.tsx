/** The nodes of a block as elements of the page. */
import type { Nodes, Table } from 'mdast'
import { Fragment, type ReactNode } from 'react'
import type { Direction } from '../../words/direction.ts'
import { useWords } from '../../words/use-words.ts'
import { Icon } from '../icons.tsx'
import { Code } from './code.tsx'
import { directionOfNode, ownDirection, wordsOf } from './directions.ts'
import { Formula } from './formula.tsx'
import { Link, Picture } from './link.tsx'
import styles from './markdown.module.css'
import { markdownWords } from './markdown.words.ts'
import { partsOfText } from './tokens.ts'

interface Place {
  direction: Direction
  /** How many nodes are around; what is deeper than the bound is a text. */
  depth: number
  /** Within a list or a table, whose direction holds for the lines, while their words keep their own. */
  isInside: boolean
  /** Items of a list whose paragraphs stand close. */
  isTight?: boolean
}

const maxDepth = 40

export const Node = ({ node, direction }: { node: Nodes; direction: Direction }): ReactNode =>
  draw(node, { direction, depth: 0, isInside: false })

const deeper = (place: Place): Place => ({ ...place, depth: place.depth + 1 })

function children(node: Nodes, place: Place): ReactNode {
  if (!('children' in node)) return null
  const inner = deeper(place)
  return node.children.map((child, at) => <Fragment key={at}>{draw(child, inner)}</Fragment>)
}

function draw(node: Nodes, place: Place): ReactNode {
  if (place.depth > maxDepth) return wordsOf(node)
  switch (node.type) {
    case 'paragraph':
    case 'heading':
    case 'blockquote':
    case 'list':
    case 'table':
    case 'footnoteDefinition':
    case 'code':
    case 'thematicBreak':
    case 'definition':
      return drawBlock(node, place)
    default:
      return drawInline(node, place)
  }
}

function drawBlock(node: Nodes, place: Place): ReactNode {
  switch (node.type) {
    case 'paragraph': {
      const words = <Words node={node} place={place} />
      return place.isTight ? words : <p dir={place.direction}>{words}</p>
    }
    case 'heading': {
      // The page has the first two levels.
      const Heading = `h${Math.min(6, node.depth + 2)}` as 'h3'
      return (
        <Heading dir={place.direction} data-level={node.depth}>
          <Words node={node} place={place} />
        </Heading>
      )
    }
    case 'blockquote':
      return (
        <blockquote dir={place.direction}>
          {node.children.map((child, at) => {
            const own = place.isInside ? place.direction : (directionOfNode(child) ?? place.direction)
            return (
              <Fragment key={at}>
                {draw(child, { ...deeper(place), direction: own, isTight: false })}
              </Fragment>
            )
          })}
        </blockquote>
      )
    case 'list':
      return <List node={node} place={place} />
    case 'table':
      return <TableOf node={node} place={place} />
    case 'footnoteDefinition':
      return (
        <div className={styles['footnote']} dir={place.direction}>
          <bdi>{node.label ?? node.identifier}</bdi>
          <div>{children(node, { ...place, isInside: true })}</div>
        </div>
      )
    case 'code':
      return <Code code={node.value} language={/^[\w+#.-]{1,30}/.exec(node.lang ?? '')?.[0] ?? ''} />
    case 'thematicBreak':
      return <hr />
    default:
      return null
  }
}

/** The words of a line: within a list or a table they keep their own direction, and begin where the others begin. */
function Words({ node, place }: { node: Nodes; place: Place }): ReactNode {
  const own = place.isInside ? (ownDirection(wordsOf(node)) ?? place.direction) : place.direction
  const drawn = children(node, { ...place, direction: own })
  return own === place.direction ? drawn : <bdi dir={own}>{drawn}</bdi>
}

function List({ node, place }: { node: Extract<Nodes, { type: 'list' }>; place: Place }): ReactNode {
  const words = useWords(markdownWords)
  const Tag = node.ordered ? 'ol' : 'ul'
  const isTight = !node.spread && node.children.every(({ spread }) => !spread)
  return (
    <Tag dir={place.direction} {...(node.ordered && node.start !== 1 && { start: node.start ?? 1 })}>
      {node.children.map((item, at) => (
        <li key={at} {...(typeof item.checked === 'boolean' && { 'data-task': true })}>
          {typeof item.checked === 'boolean' && (
            <span
              className={styles['task']}
              role="img"
              aria-label={item.checked ? words.done : words.notDone}
            >
              {item.checked && <Icon name="check" size={13} />}
            </span>
          )}
          {children(item, { ...deeper(place), isInside: true, isTight })}
        </li>
      ))}
    </Tag>
  )
}

function TableOf({ node, place }: { node: Table; place: Place }): ReactNode {
  const words = useWords(markdownWords)
  const [head, ...rows] = node.children
  const inner = { ...deeper(place), isInside: true }
  const alignOf = (at: number) => {
    const side = node.align?.[at]
    return side === 'center' ? { 'data-align': 'center' } : {}
  }
  return (
    <div className={styles['table']} dir={place.direction} tabIndex={0} role="group" aria-label={words.table}>
      <table>
        <thead>
          <tr>
            {head?.children.map((cell, at) => (
              <th key={at} scope="col" {...alignOf(at)}>
                <Words node={cell} place={inner} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, line) => (
            <tr key={line}>
              {row.children.map((cell, at) => (
                <td key={at} {...alignOf(at)}>
                  <Words node={cell} place={inner} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function drawInline(node: Nodes, place: Place): ReactNode {
  switch (node.type) {
    case 'text':
      return <Text text={node.value} isRtl={place.direction === 'rtl'} />
    case 'strong':
      return <strong>{children(node, place)}</strong>
    case 'emphasis':
      return <em>{children(node, place)}</em>
    case 'delete':
      return <del>{children(node, place)}</del>
    case 'inlineCode':
      return <code dir="ltr">{node.value}</code>
    case 'formula':
      return <Formula source={node.value} isDisplay={node.isDisplay} />
    case 'break':
      return <br />
    case 'html':
      // The one tag that tables need. Every other stays a text.
      return /^<br\s{0,9}\/?>$/i.test(node.value) ? <br /> : <bdi dir="ltr">{node.value}</bdi>
    case 'link':
      return (
        <Link url={node.url} text={wordsOf(node)}>
          {children(node, place)}
        </Link>
      )
    case 'image':
      return <Picture url={node.url} alt={node.alt ?? ''} />
    case 'footnoteReference':
      return <Footnote name={node.label ?? node.identifier} />
    default:
      return 'children' in node ? children(node, place) : null
  }
}

const Footnote = ({ name }: { name: string }): ReactNode => (
  <sup>
    <bdi>{name}</bdi>
  </sup>
)

const Text = ({ text, isRtl }: { text: string; isRtl: boolean }): ReactNode =>
  partsOfText(text, isRtl).map((part, at) =>
    part.kind === 'footnote' ? (
      <Footnote key={at} name={part.text.slice(2, -1)} />
    ) : part.kind === 'ltr' ? (
      <bdi key={at} dir="ltr">
        {part.text}
      </bdi>
    ) : (
      part.text
    ),
  )
