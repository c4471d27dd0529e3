//! The code table: one row for each kind of finding.
//!
//! 00 reading and YAML, 01 shape and schema, 02 cross-field meaning, 03 MCP servers and secrets, 04 target language,
//! 05 rendering, 06 output ownership, 07 edits, 09 environment. A number is never used twice; a name states the fault.

use super::Severity;

macro_rules! codes {
    ($($number:literal $variant:ident $name:literal $severity:ident;)*) => {
        /// A kind of finding. Prints as `ADL` and four digits.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(u16)]
        pub enum Code {
            $(
                #[doc = concat!("`", $name, "`")]
                $variant = $number,
            )*
        }

        impl Code {
            /// Every row, in order.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The code that `word` names, by number (`ADL0302`) or by name.
            pub fn from_word(word: &str) -> Option<Self> {
                Self::ALL.iter().copied().find(|code| code.name() == word || code.to_string() == word)
            }

            /// The short name, which states the fault.
            pub fn name(self) -> &'static str {
                match self { $(Self::$variant => $name),* }
            }

            /// The severity that a finding of this kind has by itself.
            pub fn severity(self) -> Severity {
                match self { $(Self::$variant => Severity::$severity),* }
            }
        }
    };
}

codes! {
    1 InvalidUtf8 "invalid-utf8" Error;
    2 YamlSyntax "yaml-syntax" Error;
    3 EmptyDocument "empty-document" Error;
    4 SeveralDocuments "several-documents" Error;
    5 DuplicateKey "duplicate-key" Error;
    6 UnknownAnchor "unknown-anchor" Error;
    7 AliasInsideItsAnchor "alias-inside-its-anchor" Error;
    8 TooManyAliasedNodes "too-many-aliased-nodes" Error;
    9 NestedTooDeep "nested-too-deep" Error;
    10 KeyIsNotAString "key-is-not-a-string" Error;
    11 NumberWithoutJsonForm "number-without-json-form" Error;
    12 UnknownTag "unknown-tag" Error;
    13 MergeIsNotAMapping "merge-is-not-a-mapping" Error;
    14 OtherYamlVersion "other-yaml-version" Warning;
    15 MalformedAllow "malformed-allow" Warning;
    16 UnusedAllow "unused-allow" Warning;
    17 AllowedError "allowed-error" Warning;
    101 WrongType "wrong-type" Error;
    102 MissingField "missing-field" Error;
    103 UnknownKey "unknown-key" Error;
    104 ValueNotAllowed "value-not-allowed" Error;
    105 TextWithoutQuotes "text-without-quotes" Error;
    106 EmptyValue "empty-value" Error;
    107 NumberOutOfRange "number-out-of-range" Error;
    108 TextOfWrongForm "text-of-wrong-form" Error;
    109 InvalidDuration "invalid-duration" Error;
    110 TooFewItems "too-few-items" Error;
    111 ConflictingKeys "conflicting-keys" Error;
    112 OutdatedShape "outdated-shape" Error;
    113 NumberLosesItsForm "number-loses-its-form" Warning;
    114 Extension "extension" Warning;
    201 NoLanguage "no-language" Error;
    202 SeveralLanguages "several-languages" Error;
    203 BlankField "blank-field" Error;
    204 IncompleteTool "incomplete-tool" Error;
    205 OverriddenBuiltInTool "overridden-built-in-tool" Error;
    206 DuplicateToolId "duplicate-tool-id" Error;
    207 DuplicateToolName "duplicate-tool-name" Error;
    208 ToolIdsDifferInCaseOnly "tool-ids-differ-in-case-only" Error;
    209 IllegalToolName "illegal-tool-name" Error;
    210 ReservedToolName "reserved-tool-name" Error;
    211 ToolSchemaIsNoObject "tool-schema-is-no-object" Error;
    212 InvalidToolSchema "invalid-tool-schema" Error;
    213 RequiredArgumentWithoutSchema "required-argument-without-schema" Warning;
    214 UnknownDependency "unknown-dependency" Error;
    215 IncompleteSkill "incomplete-skill" Error;
    216 DuplicateSkillId "duplicate-skill-id" Error;
    217 IncompleteSecurityScheme "incomplete-security-scheme" Error;
    218 UnknownSecurityScheme "unknown-security-scheme" Error;
    219 UnsupportedProtocolVersion "unsupported-protocol-version" Error;
    220 UnsupportedScheme "unsupported-scheme" Error;
    221 DependencyTwice "dependency-twice" Warning;
    222 DependenciesOfOneName "dependencies-of-one-name" Warning;
    223 IllegalServiceName "illegal-service-name" Error;
    224 IllegalConfigName "illegal-config-name" Error;
    225 NamesCollide "names-collide" Error;
    226 ReservedFileName "reserved-file-name" Warning;
    227 UnusableName "unusable-name" Error;
    228 SettingsWithoutTool "settings-without-tool" Warning;
    229 InvalidCardAddress "invalid-card-address" Warning;
    230 UnknownTransport "unknown-transport" Warning;
    231 InvalidMode "invalid-mode" Warning;
    232 PathLeavesProject "path-leaves-project" Error;
    233 PathTaken "path-taken" Error;
    234 ExampleWithoutName "example-without-name" Error;
    235 DeploymentBlockUnused "deployment-block-unused" Warning;
    236 DeploymentNotForLanguage "deployment-not-for-language" Warning;
    237 ScmFeatureOfOtherProvider "scm-feature-of-other-provider" Warning;
    238 HookForAShell "hook-for-a-shell" Warning;
    239 UnresolvedPlaceholder "unresolved-placeholder" Warning;
    240 VersionWithLeadingZero "version-with-leading-zero" Warning;
    241 NulInText "nul-in-text" Error;
    301 DuplicateServerName "duplicate-server-name" Error;
    302 InvalidServerUrl "invalid-server-url" Error;
    303 ServerWithoutUrl "server-without-url" Warning;
    304 StdioServerWithoutCommand "stdio-server-without-command" Warning;
    305 ServerUrlTwice "server-url-twice" Warning;
    306 InvalidEndpoint "invalid-endpoint" Error;
    307 DurationNotPositive "duration-not-positive" Error;
    308 RetryIntervalAboveMaximum "retry-interval-above-maximum" Error;
    309 LiteralCredential "literal-credential" Warning;
    310 MalformedReference "malformed-reference" Warning;
    311 IllegalHeader "illegal-header" Error;
    312 DuplicateHeader "duplicate-header" Error;
    313 IllegalVariableName "illegal-variable-name" Error;
    314 FieldOfOtherTransport "field-of-other-transport" Warning;
    320 ServerDropped "server-dropped" Warning;
    321 McpIgnored "mcp-ignored" Warning;
    322 NoUsableServer "no-usable-server" Warning;
    401 InvalidModulePath "invalid-module-path" Error;
    402 InvalidGoVersion "invalid-go-version" Error;
    403 GoVersionRaised "go-version-raised" Warning;
    404 FeatureNotGenerated "feature-not-generated" Warning;
    405 InvalidPackageName "invalid-package-name" Error;
    406 InvalidToolchainVersion "invalid-toolchain-version" Error;
    407 InvalidPackageEntry "invalid-package-entry" Warning;
    408 FeatureNotInLanguage "feature-not-in-language" Warning;
    409 UnheardOfGoVersion "unheard-of-go-version" Warning;
    501 InternalFault "internal-fault" Error;
    601 FilesInTheWay "files-in-the-way" Error;
    602 FileChangedMeanwhile "file-changed-meanwhile" Error;
    603 FileConflict "file-conflict" Error;
    604 FileLeft "file-left" Warning;
    605 SeedChanged "seed-changed" Warning;
    606 SeededFileDeleted "seeded-file-deleted" Warning;
    607 NeededFileIgnored "needed-file-ignored" Warning;
    608 ProjectOutOfDate "project-out-of-date" Error;
    609 ConflictMarkers "conflict-markers" Error;
    610 ManifestNotCopied "manifest-not-copied" Warning;
    611 UnfinishedRun "unfinished-run" Warning;
    701 FixRefused "fix-refused" Warning;
    901 FileMissing "file-missing" Error;
    902 FileIsDirectory "file-is-directory" Error;
    903 FileCannotBeRead "file-cannot-be-read" Error;
    904 FileTooLarge "file-too-large" Error;
    905 NoManifestInFolder "no-manifest-in-folder" Error;
    906 UnknownTopic "unknown-topic" Error;
    907 UnknownOutputFile "unknown-output-file" Error;
    910 LanguageWithoutTemplates "language-without-templates" Error;
    911 OutputFolderUnusable "output-folder-unusable" Error;
    912 OutputFolderBusy "output-folder-busy" Error;
    913 OutputCannotBeRead "output-cannot-be-read" Error;
    914 OutputCannotBeWritten "output-cannot-be-written" Error;
    915 Interrupted "interrupted" Error;
    916 OldStateNotRestored "old-state-not-restored" Error;
    917 FileCannotBeWritten "file-cannot-be-written" Error;
    918 HookFailed "hook-failed" Error;
    930 EnvLineRefused "env-line-refused" Error;
    931 UnknownVariable "unknown-variable" Warning;
    932 MissingVariable "missing-variable" Error;
    933 VariableTwice "variable-twice" Warning;
    934 VariableOfWrongType "variable-of-wrong-type" Error;
    935 VariableNotADuration "variable-not-a-duration" Error;
    936 VariableNotAUrl "variable-not-a-url" Error;
    937 VariableOutOfRange "variable-out-of-range" Error;
}

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "ADL{:04}", *self as u16)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_rise_and_names_differ() {
        let mut names = std::collections::BTreeSet::new();
        for pair in Code::ALL.windows(2) {
            assert!(pair[0] < pair[1], "{} stands before {}", pair[0], pair[1]);
        }
        for code in Code::ALL {
            assert!(names.insert(code.name()), "`{}` is used twice", code.name());
        }
    }
}
