/** The neutral document model: plain JSON, made by the Markdown reader and accepted by every writer. Its text is data, never code. */
export interface TextDocument {
  title: string
  subtitle?: string
  authors?: string[]
  /** Its date in Tehran is shown on the title page: Jalali in Persian, Gregorian in English. */
  dateMs?: number
  /** The language of texts that the writers add and of digits; it also decides the direction of neutral text. */
  language: Language
  /** True for a separate page with title, authors and date; otherwise the title is above the text. */
  titlePage?: boolean
  contents?: boolean
  numberedHeadings?: boolean
  blocks: DocumentBlock[]
  /** Keyed by the id of the references. */
  footnotes?: Record<string, Inline[]>
  /** Citation n refers to index n - 1. */
  sources?: DocumentSource[]
}

export type Language = 'fa' | 'en'
export type Direction = 'rtl' | 'ltr'

export type DocumentBlock =
  | Heading
  | Paragraph
  | List
  | TableBlock
  | Quote
  | CodeBlock
  | Image
  | { type: 'rule' }
  | { type: 'page-break' }

export interface Heading {
  type: 'heading'
  /** 1 to 6. */
  level: number
  content: Inline[]
}

export interface Paragraph {
  type: 'paragraph'
  content: Inline[]
}

export interface List {
  type: 'list'
  ordered: boolean
  /** Number of the first item. Default: 1. */
  start?: number
  items: DocumentBlock[][]
}

export interface TableBlock {
  type: 'table'
  header: Cell[]
  rows: Cell[][]
  /** The alignment of each column, along the direction of the text. */
  align?: Alignment[]
  caption?: string
}

export type Alignment = 'start' | 'center' | 'end'
export type Cell = Inline[]

export interface Quote {
  type: 'quote'
  blocks: DocumentBlock[]
}

export interface CodeBlock {
  type: 'code'
  text: string
  language?: string
}

export interface Image {
  type: 'image'
  /** Path among the images passed to the writer; a missing image shows its alternative text. */
  path: string
  alt: string
  caption?: string
}

export type Inline = TextRun | { type: 'break' } | FootnoteReference | Citation

export interface TextRun {
  type: 'text'
  text: string
  bold?: boolean
  italic?: boolean
  strike?: boolean
  code?: boolean
  /** http, https or mailto; others are written as text only. */
  link?: string
}

export interface FootnoteReference {
  type: 'footnote'
  id: string
}

export interface Citation {
  type: 'citation'
  number: number
}

export interface DocumentSource {
  title: string
  url?: string
  authors?: string
  /** The displayed text. */
  date?: string
}

/** PNG and JPEG by the path that the document names. */
export type Images = Record<string, Uint8Array>

/** The characters of a text without formatting. */
export const plainText = (content: readonly Inline[]): string =>
  content
    .map((inline) => (inline.type === 'text' ? inline.text : inline.type === 'break' ? ' ' : ''))
    .join('')

/** An image that can be placed: its kind and its size in pixels are known. */
export interface PlacedImage {
  bytes: Uint8Array
  type: 'png' | 'jpg'
  width: number
  height: number
}
