/**
 * Media types of the files of websites, by their extensions: those of browsers, feeds, documents and downloads, as IANA lists them. Texts are UTF-8.
 */
const types: Record<string, string> = {
  // Pages and their parts.
  html: 'text/html',
  htm: 'text/html',
  xhtml: 'application/xhtml+xml',
  css: 'text/css',
  js: 'text/javascript',
  mjs: 'text/javascript',
  cjs: 'text/javascript',
  json: 'application/json',
  map: 'application/json',
  jsonld: 'application/ld+json',
  geojson: 'application/geo+json',
  topojson: 'application/json',
  webmanifest: 'application/manifest+json',
  wasm: 'application/wasm',
  // Texts.
  txt: 'text/plain',
  text: 'text/plain',
  log: 'text/plain',
  md: 'text/markdown',
  markdown: 'text/markdown',
  csv: 'text/csv',
  tsv: 'text/tab-separated-values',
  vtt: 'text/vtt',
  srt: 'application/x-subrip',
  ics: 'text/calendar',
  vcf: 'text/vcard',
  yaml: 'application/yaml',
  yml: 'application/yaml',
  toml: 'application/toml',
  // XML and feeds.
  xml: 'application/xml',
  xsl: 'application/xslt+xml',
  xslt: 'application/xslt+xml',
  rss: 'application/rss+xml',
  atom: 'application/atom+xml',
  kml: 'application/vnd.google-earth.kml+xml',
  gpx: 'application/gpx+xml',
  // Pictures.
  svg: 'image/svg+xml',
  png: 'image/png',
  apng: 'image/apng',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  avif: 'image/avif',
  jxl: 'image/jxl',
  heic: 'image/heic',
  heif: 'image/heif',
  bmp: 'image/bmp',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  ico: 'image/x-icon',
  // Fonts.
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  ttc: 'font/collection',
  eot: 'application/vnd.ms-fontobject',
  // Sound and films.
  mp3: 'audio/mpeg',
  m4a: 'audio/mp4',
  aac: 'audio/aac',
  ogg: 'audio/ogg',
  oga: 'audio/ogg',
  opus: 'audio/ogg',
  wav: 'audio/wav',
  flac: 'audio/flac',
  weba: 'audio/webm',
  mid: 'audio/midi',
  midi: 'audio/midi',
  mp4: 'video/mp4',
  m4v: 'video/mp4',
  webm: 'video/webm',
  ogv: 'video/ogg',
  mov: 'video/quicktime',
  avi: 'video/x-msvideo',
  mkv: 'video/x-matroska',
  m3u8: 'application/vnd.apple.mpegurl',
  mpd: 'application/dash+xml',
  // Documents.
  pdf: 'application/pdf',
  epub: 'application/epub+zip',
  rtf: 'application/rtf',
  doc: 'application/msword',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  xls: 'application/vnd.ms-excel',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  odt: 'application/vnd.oasis.opendocument.text',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odp: 'application/vnd.oasis.opendocument.presentation',
  // Packed.
  zip: 'application/zip',
  gz: 'application/gzip',
  tgz: 'application/gzip',
  bz2: 'application/x-bzip2',
  xz: 'application/x-xz',
  zst: 'application/zstd',
  '7z': 'application/x-7z-compressed',
  tar: 'application/x-tar',
  apk: 'application/vnd.android.package-archive',
  // Models in three dimensions.
  glb: 'model/gltf-binary',
  gltf: 'model/gltf+json',
  stl: 'model/stl',
  obj: 'model/obj',
  usdz: 'model/vnd.usdz+zip',
  // Keys and certificates, under `.well-known/`.
  asc: 'application/pgp-keys',
  pem: 'application/x-pem-file',
}

/** Files of `.well-known/` that are JSON, most of them without an extension. */
const jsonNames = new Set([
  'apple-app-site-association',
  'openid-configuration',
  'oauth-authorization-server',
  'nodeinfo',
  'host-meta.json',
  'webfinger',
])

export const unknownType = 'application/octet-stream'

/** The media type of a file, with its charset where it is a text; a name without a known extension may be anything. */
export function mediaTypeByName(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1)
  const dot = name.lastIndexOf('.')
  const end = dot < 0 ? '' : name.slice(dot + 1).toLowerCase()
  const type = Object.hasOwn(types, end)
    ? types[end]!
    : jsonNames.has(name)
      ? 'application/json'
      : unknownType
  return type.startsWith('text/') ? `${type}; charset=utf-8` : type
}
