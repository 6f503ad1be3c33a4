/** The neutral document: plain JSON that every writer takes and the Markdown reader gives. Its text is data, never code. */
export interface TextDocument {
  title: string
  subtitle?: string
  authors?: string[]
  /** The moment whose day in Tehran stands on the title page: Jalali in Persian, Gregorian in English. */
  dateMs?: number
  /** Of the words that the writers add, of digits, and of everything that has no direction of its own. */
  language: Language
  /** A page of its own for title, authors and date; without it the title stands above the text. */
  titlePage?: boolean
  contents?: boolean
  numberedHeadings?: boolean
  blocks: Block[]
  /** By the id that references name. */
  footnotes?: Record<string, Inline[]>
  /** The first is what citation 1 refers to. */
  sources?: Source[]
}

export type Language = 'fa' | 'en'
export type Direction = 'rtl' | 'ltr'

export type Block =
  | Heading
  | Paragraph
  | List
  | Table
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
  /** Of the first item; 1 unless said otherwise. */
  start?: number
  items: Block[][]
}

export interface Table {
  type: 'table'
  header: Cell[]
  rows: Cell[][]
  /** Of each column, along the direction of the text. */
  align?: Align[]
  caption?: string
}

export type Align = 'start' | 'center' | 'end'
export type Cell = Inline[]

export interface Quote {
  type: 'quote'
  blocks: Block[]
}

export interface CodeBlock {
  type: 'code'
  text: string
  language?: string
}

export interface Image {
  type: 'image'
  /** Among the images that the writer is given; what is not there shows its alternative text. */
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

export interface Source {
  title: string
  url?: string
  authors?: string
  /** As it is to be read. */
  date?: string
}

/** PNG and JPEG by the path that the document names. */
export type Images = Record<string, Uint8Array>

/** The characters of a text without its form. */
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
