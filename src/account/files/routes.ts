import type { Route } from '#platform/http'
import { type FileRoutesApp, route } from './app.ts'
import { maxDataBytes, servedTypes } from './kind.ts'
import { createLink, linkPath, readLinked } from './links.ts'
import { listFiles, readContent, readFile, removeFile } from './read.ts'
import {
  DeletedFile,
  FileLink,
  FileList,
  FileListQuery,
  FileParams,
  LinkBody,
  LinkParams,
  StoredFile,
  UploadBody,
  UploadForm,
} from './schema.ts'
import { upload } from './upload.ts'
import './phrases.ts'

const path = '/v1/files'
/** 20 MB in Base64, with room for the rest of the body. */
const bodyLimit = 28 * 1024 * 1024

/** What both addresses of a file share. */
const bytesOfFile = {
  params: FileParams,
  reply: { 200: servedTypes.join(', ') },
  ranges: true,
  errors: ['NOT_FOUND', 'FILE_LOST'],
} satisfies Partial<Route<FileRoutesApp>>

export const fileRoutes: Route<FileRoutesApp>[] = [
  route({
    method: 'GET',
    path: `${path}/{id}`,
    operation: 'files.read',
    scope: 'files:read',
    summary: {
      en: 'A stored file, whole or in part (Range); its record for `Accept: application/json`.',
      fa: 'فایل ذخیره‌شده، کامل یا بخشی از آن (Range)؛ با `Accept: application/json` مشخصات آن.',
    },
    ...bytesOfFile,
    jsonReply: StoredFile,
    handle: readFile,
  }),
  route({
    method: 'GET',
    path: `${path}/{id}/content`,
    operation: 'files.content',
    scope: 'files:read',
    summary: {
      en: 'The same bytes, at the address that OpenAI’s clients read.',
      fa: 'همان بایت‌ها، در نشانی‌ای که کتابخانه‌های OpenAI می‌خوانند.',
    },
    ...bytesOfFile,
    handle: readContent,
  }),
  route({
    method: 'GET',
    path,
    operation: 'files.list',
    scope: 'files:read',
    summary: { en: 'The files of the project, newest first.', fa: 'فایل‌های پروژه، تازه‌ترین نخست.' },
    query: FileListQuery,
    reply: { 200: FileList },
    errors: [],
    handle: listFiles,
  }),
  route({
    method: 'POST',
    path,
    operation: 'files.upload',
    writes: ['files'],
    scope: 'studio:write',
    summary: {
      en: 'Store an image, or up to 200 MB as a form: a recording, a file of data (CSV, TSV, XLSX, JSON) or a document (PDF, DOCX, text).',
      fa: 'ذخیرهٔ تصویر، یا تا ۲۰۰ مگابایت به شکل فرم: ضبط صدا، فایل داده (CSV، TSV، XLSX، JSON) یا سند (PDF، DOCX، متن ساده).',
    },
    idempotent: true,
    bodyLimit,
    body: UploadBody,
    upload: { fields: UploadForm, files: { file: 1 }, maxBytes: maxDataBytes },
    reply: { 201: StoredFile },
    errors: ['FILES_QUOTA_EXCEEDED'],
    handle: upload,
  }),
  route({
    method: 'DELETE',
    path: `${path}/{id}`,
    operation: 'files.delete',
    scope: 'studio:write',
    summary: { en: 'Delete a stored file with its bytes.', fa: 'حذف فایل ذخیره‌شده همراه با بایت‌هایش.' },
    params: FileParams,
    reply: { 200: DeletedFile },
    errors: ['NOT_FOUND'],
    handle: removeFile,
  }),
  route({
    method: 'POST',
    path: `${path}/{id}/links`,
    operation: 'files.link',
    scope: 'files:read',
    summary: {
      en: 'A signed link to a stored file, for clients that can send no key.',
      fa: 'پیوند امضاشده به یک فایل ذخیره‌شده، برای برنامه‌هایی که نمی‌توانند کلید بفرستند.',
    },
    params: FileParams,
    body: LinkBody,
    reply: { 201: FileLink },
    errors: ['NOT_FOUND', 'SECRETS_SEALED'],
    handle: createLink,
  }),
  route({
    method: 'GET',
    path: `${linkPath}/{token}`,
    operation: 'files.linked',
    scope: 'public',
    cors: 'any',
    secretPath: true,
    summary: {
      en: 'The file of a signed link, whole or in part (Range).',
      fa: 'فایل یک پیوند امضاشده، کامل یا بخشی از آن (Range).',
    },
    params: LinkParams,
    reply: { 200: servedTypes.join(', ') },
    ranges: true,
    errors: ['NOT_FOUND', 'FILE_LOST', 'SECRETS_SEALED'],
    handle: readLinked,
  }),
]
