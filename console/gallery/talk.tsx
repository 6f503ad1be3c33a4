/** What Talk is made of, with a text that has every kind of block. */
import { type ReactNode, useEffect, useState } from 'react'
import { Button } from '../pieces/button.tsx'
import { Composer } from '../pieces/composer.tsx'
import { Markdown } from '../pieces/markdown/markdown.tsx'
import { useWords } from '../words/use-words.ts'
import styles from './gallery.module.css'
import { galleryWords } from './gallery.words.ts'
import { known, sample } from './talk.sample.ts'

const step = 24

export function Writing(): ReactNode {
  const words = useWords(galleryWords)
  const [length, setLength] = useState(sample.length)
  const isStreaming = length < sample.length
  useEffect(() => {
    if (!isStreaming) return
    const timer = setTimeout(() => setLength(length + step), 30)
    return () => clearTimeout(timer)
  }, [isStreaming, length])
  return (
    <>
      <div className={styles['row']}>
        <Button onClick={() => setLength(0)}>{words.stream}</Button>
      </div>
      <Markdown text={sample.slice(0, length)} isStreaming={isStreaming} knownAddresses={known} />
    </>
  )
}

export function Composing(): ReactNode {
  const words = useWords(galleryWords)
  const [text, setText] = useState('')
  return (
    <Composer
      label={words.message}
      placeholder={words.messageHint}
      verb={words.send}
      value={text}
      onChange={setText}
      onSend={() => setText('')}
    >
      {words.price}
    </Composer>
  )
}
