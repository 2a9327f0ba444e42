{{- define "pointsman.name" -}}
{{- printf "%s" .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "pointsman.labels" -}}
app.kubernetes.io/name: pointsman
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "pointsman.selector" -}}
app.kubernetes.io/name: pointsman
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "pointsman.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{- define "pointsman.secret" -}}
{{ .Values.secrets.existing | default (include "pointsman.name" .) }}
{{- end -}}

{{- define "pointsman.registry" -}}
{{- if eq (dig "registry" "kind" "" .Values.config) "kubernetes" }}true{{ end -}}
{{- end -}}

{{/* Any change of config or secrets rolls the pods. */}}
{{- define "pointsman.pod" -}}
metadata:
  labels:
    {{- include "pointsman.selector" .root | nindent 4 }}
    app.kubernetes.io/component: {{ .component }}
  annotations:
    checksum/config: {{ toYaml .root.Values.config | sha256sum }}
    checksum/secrets: {{ toYaml .root.Values.secrets | sha256sum }}
{{- end -}}

{{- define "pointsman.container" -}}
image: {{ include "pointsman.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
envFrom:
  - secretRef: {name: {{ include "pointsman.secret" . }}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: {drop: [ALL]}
{{- end -}}

{{- define "pointsman.security" -}}
serviceAccountName: {{ include "pointsman.name" . }}
automountServiceAccountToken: {{ include "pointsman.registry" . | eq "true" }}
securityContext:
  runAsNonRoot: true
  runAsUser: 10001
  runAsGroup: 10001
  fsGroup: 10001
  seccompProfile: {type: RuntimeDefault}
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}
